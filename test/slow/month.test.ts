import { describe, it } from "vitest";
import { namesHole, provesMonth } from "../reconcile/month-story.ts";

const SHAPE = {
  paid: 10_000,
  withoutCallback: 500,
  withTwoCallbacks: 300,
  calledTooEarly: 200,
  forged: 100,
  expired: 50,
};

describe("a month of 10,000 paid invoices", () => {
  it("is proven whole under every reading of the list, and a hole is named and healed (G4, G10)", async () => {
    const month = await provesMonth(SHAPE, [
      { datesMean: "creation", includesTest: true },
      { datesMean: "creation", includesTest: false },
      { datesMean: "payment", includesTest: true },
      { datesMean: "payment", includesTest: false },
    ]);
    await namesHole(month, SHAPE.paid);
  }, 1_800_000);
});
