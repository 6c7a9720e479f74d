import { describe, expect, it } from "vitest";
import { decodeText } from "../../../src/receive/reading/decode-body.ts";

const decode = (...bytes: number[]) => decodeText(Uint8Array.from(bytes));
const [A, B, C] = [0x41, 0x42, 0x43];

describe("UTF-16 is known", () => {
  it.each([
    ["little end first, by its mark", [0xff, 0xfe, A, 0, B, 0], "AB"],
    ["big end first, by its mark", [0xfe, 0xff, 0, A, 0, B], "AB"],
    ["by its mark, though no letter is ASCII", [0xff, 0xfe, 0x36, 0x04], "ж"],
    ["little end first, by the zeros after its letters", [A, 0, B, 0, 0x36, 0x04], "ABж"],
    ["big end first, by the zeros before its letters", [0, A, 0, B, 0x04, 0x36], "ABж"],
  ])("%s", (_how, bytes, text) => {
    expect(decode(...bytes)).toBe(text);
  });
});

describe("all else is UTF-8", () => {
  it("without its mark", () => {
    expect(decode(0xef, 0xbb, 0xbf, A)).toBe("A");
    expect(decodeText(Buffer.from("жA\ufeff"))).toBe("жA\ufeff");
  });

  it.each([
    ["half a mark, little end first", [0xff, A, B, C], "\ufffdABC"],
    ["half a mark, big end first", [0xfe, A, B, C], "\ufffdABC"],
    ["what ends as a mark little end first does", [A, 0xfe, B, C], "A\ufffdBC"],
    ["what ends as a mark big end first does", [A, 0xff, B, C], "A\ufffdBC"],
  ])("%s: broken bytes and nothing more", (_what, bytes, text) => {
    expect(decode(...bytes)).toBe(text);
  });

  it.each(["ABC\0", "AB\0C", "A\0BC", "\0ABC", "A\0\0B", "\0\0A\0", "\0\0\0A", "A\0\0\0", "\0A\0\0"])(
    "%j: zeros that are not every second byte of the first four",
    (text) => {
      expect(decodeText(Buffer.from(text))).toBe(text);
    },
  );

  it("a text shorter than four bytes", () => {
    for (const text of ["", "A", "A\0", "\0A"]) expect(decodeText(Buffer.from(text))).toBe(text);
  });

  it("only the bytes that are its own, of a buffer that holds more", () => {
    expect(decodeText(Buffer.from("before{}after").subarray(6, 8))).toBe("{}");
  });
});
