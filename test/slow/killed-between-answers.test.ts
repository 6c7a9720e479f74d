import { describe, it } from "vitest";
import { answersBetweenKills } from "../journeys/killed-between-answers.ts";

describe("any eight answers about an invoice from two sources, and kills between them", () => {
  it.each(Array.from({ length: 2 }, (_, world) => world + 1))(
    "never take back a verdict paid, drop a Paid, double an event or hide a change (world %i)",
    (world) => answersBetweenKills({ invoices: 100, answers: 8, world }),
  );
});
