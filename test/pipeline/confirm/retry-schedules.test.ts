import { expect, it } from "vitest";
import { longestWaits, RETRY_SCHEDULES } from "../../../src/pipeline/confirm/decide.ts";

it("no wait of any retry schedule is brought forward as if a clock had been set back", () => {
  const schedules = { ...RETRY_SCHEDULES, another: [60_000, 86_400_000], longer: Array(20).fill(1_000) };
  const longest = longestWaits(schedules);
  for (const waits of Object.values(schedules))
    waits.forEach((wait, attempt) => {
      expect(longest[attempt + 1]).toBeGreaterThanOrEqual(wait * 1.1);
    });
});
