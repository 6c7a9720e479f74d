import fc from "fast-check";

/** Any code points, half of them ASCII, lone surrogates too. (`unit: "binary"` takes most of a second to be made.) */
export const anyText = (length: { minLength?: number; maxLength?: number } = {}) =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10ffff })), length)
    .map((points) => String.fromCodePoint(...points));
