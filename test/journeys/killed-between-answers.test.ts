import { describe, it } from "vitest";
import { answersBetweenKills } from "./killed-between-answers.ts";

describe("any answers about an invoice from two sources, and kills between them", () => {
  it("never take back a verdict paid, drop a Paid, double an event or hide a change (G2, G4, G5, G6, G13)", () =>
    answersBetweenKills({ invoices: 30, answers: 4, world: 0 }));
});
