import { describe, it } from "vitest";
import { namesHole, provesMonth } from "../reconcile/month-story.ts";

const SHAPE = {
  paid: 200,
  withoutCallback: 10,
  withTwoCallbacks: 6,
  calledTooEarly: 4,
  forged: 2,
  expired: 2,
};

// A larger month under every reading of the list is in test/slow/in-numbers.test.ts: this one has its shape.
describe("a month", () => {
  it("is proven whole: what callbacks missed is found, each invoice has one event, a hole is named and healed (G4, G10)", async () => {
    const month = await provesMonth(SHAPE, [
      { datesMean: "payment", includesTest: false },
      { datesMean: "creation", includesTest: true },
    ]);
    await namesHole(month, SHAPE.paid);
  });
});
