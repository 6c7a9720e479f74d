import { expect, it } from "vitest";
import { spanText } from "../../../src/platform/values/time.ts";

it("a length of time is told in the unit that suits it", () => {
  const lengths = [0, 999.6, 4_240, 59_960, 5_399_000, 5_400_000, 172_800_000, -4_240];
  const told = ["0 ms", "1 s", "4.2 s", "1 min", "90 min", "1.5 h", "2 days", "-4.2 s"];
  expect(lengths.map(spanText)).toEqual(told);
});
