import { timingSafeEqual } from "node:crypto";

/** Compares in constant time; lengths are no secret. */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
