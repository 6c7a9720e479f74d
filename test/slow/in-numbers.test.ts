import { describe, it } from "vitest";
import { survivesFlood } from "../reconcile/flood.ts";
import { namesHole, provesMonth } from "../reconcile/month-story.ts";
import { howMany } from "./how-many.ts";

// What needs many to show it.

const HOUR = 3_600_000;
const PAID = howMany(1_000, 10_000);
const FORGED = howMany(8_000, 20_000);

describe(`${FORGED} forged callbacks`, () => {
  it(
    "do not keep 200 genuine first ones among them waiting, nor eat the provider's quota",
    () => survivesFlood({ forged: FORGED, genuine: 200, stillWaiting: FORGED * 0.75 }),
    HOUR,
  );
});

describe(`a month of ${PAID} paid invoices`, () => {
  it(
    "is proven whole under every reading of the list, and a hole is named and healed (G4, G10)",
    async () => {
      const shape = {
        paid: PAID,
        withoutCallback: PAID * 0.05,
        withTwoCallbacks: PAID * 0.03,
        calledTooEarly: PAID * 0.02,
        forged: PAID * 0.01,
        expired: PAID * 0.005,
      };
      const month = await provesMonth(shape, [
        { datesMean: "creation", includesTest: true },
        { datesMean: "creation", includesTest: false },
        { datesMean: "payment", includesTest: true },
        { datesMean: "payment", includesTest: false },
      ]);
      await namesHole(month, PAID);
    },
    HOUR,
  );
});
