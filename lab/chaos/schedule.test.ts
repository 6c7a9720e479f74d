import { describe, expect, it } from "vitest";
import { scheduleOf } from "./schedule.ts";

const OPTIONS = { lengthMs: 60_000, relays: 2, leaseMs: 2_000 };

describe("the schedule of faults", () => {
  it("is the same for the same seed, and another one for another", () => {
    expect(scheduleOf({ seed: 7, ...OPTIONS })).toEqual(scheduleOf({ seed: 7, ...OPTIONS }));
    expect(scheduleOf({ seed: 7, ...OPTIONS })).not.toEqual(scheduleOf({ seed: 8, ...OPTIONS }));
  });

  it("holds every kind of place, and never two faults at one place at a time", () => {
    const plan = scheduleOf({ seed: 7, ...OPTIONS });
    expect(new Set(plan.map(({ fault }) => fault.on))).toEqual(
      new Set(["link", "cut", "process", "provider", "sns", "postgres"]),
    );
    for (const place of ["provider", "sns", "postgres"]) {
      const there = plan.filter(({ fault }) => fault.on === place);
      for (const [index, { atMs }] of there.entries()) {
        const before = there[index - 1];
        expect(atMs).toBeGreaterThan(before === undefined ? -1 : before.atMs + before.forMs);
      }
    }
  });
});
