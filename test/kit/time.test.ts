import { expect, it } from "vitest";
import { spanText } from "../../src/kit/time.ts";

it.each([
  [0, "0 ms"],
  [999.6, "1 s"],
  [4_240, "4.2 s"],
  [59_960, "1 min"],
  [5_399_000, "90 min"],
  [5_400_000, "1.5 h"],
  [172_800_000, "2 days"],
  [-4_240, "-4.2 s"],
])("a length of %d ms is told as %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
