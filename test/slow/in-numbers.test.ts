import { describe, it } from "vitest";
import { answersBetweenKills } from "../journeys/killed-between-answers.ts";
import { survivesFlood } from "../reconcile/flood.ts";
import { honestListsAreEqual, noListFoolsTheCertificate } from "../reconcile/hostile-lists.ts";
import { namesHole, provesMonth } from "../reconcile/month-story.ts";
import { howMany } from "./how-many.ts";

// What needs many to show it.

const HOUR = 3_600_000;
const LISTS = howMany(400, 2_000);
const PAID = howMany(1_000, 10_000);
const FORGED = howMany(8_000, 20_000);
const ANSWERED = howMany(40, 100);

describe("any eight answers about an invoice from two sources, and kills between them", () => {
  it.each([1, 2])(
    "never take back a verdict paid, drop a Paid, double an event or hide a change (world %i)",
    (world) => answersBetweenKills({ invoices: ANSWERED, answers: 8, world }),
  );
});

describe(`${FORGED} forged callbacks`, () => {
  it(
    "do not keep 200 genuine first ones among them waiting, nor eat the provider's quota",
    () => survivesFlood({ forged: FORGED, genuine: 200, stillWaiting: FORGED * 0.75 }),
    HOUR,
  );
});

describe(`${LISTS} lists of every kind`, () => {
  it(
    "never certify an unpublished payment away that some table or page shows (G10)",
    () => noListFoolsTheCertificate(LISTS),
    HOUR,
  );

  it(
    "of an honest provider are certified as equal, whichever freedom of the interface it uses",
    () => honestListsAreEqual(LISTS),
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
