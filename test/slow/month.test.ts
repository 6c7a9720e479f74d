import { describe, it } from "vitest";
import { namesHole, provesMonth } from "../reconcile/month-story.ts";
import { howMany } from "./how-many.ts";

const PAID = howMany(2_000, 10_000);
const SHAPE = {
  paid: PAID,
  withoutCallback: PAID * 0.05,
  withTwoCallbacks: PAID * 0.03,
  calledTooEarly: PAID * 0.02,
  forged: PAID * 0.01,
  expired: PAID * 0.005,
};

describe(`a month of ${PAID} paid invoices`, () => {
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
