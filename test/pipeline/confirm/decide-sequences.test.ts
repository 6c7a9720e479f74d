import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/pipeline/confirm/decide.ts";
import type { Claimed, KnownInvoice } from "../../../src/pipeline/confirm/queue/claim.ts";
import type { Answer } from "../../../src/provider/provider.ts";
import {
  decided,
  fault,
  found,
  interrupted,
  keyRefused,
  limited,
  notFound,
  outside,
} from "./deciding-fixture.ts";

const OURS = { collectionNames: new Set(["Term 1"]) };
const saying = (status: string, day: number, changes: Record<string, unknown> = {}) =>
  found({ status, dateModified: `2026-11-0${day}T09:00:00Z`, ...changes });

const answer = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        status: fc.constantFrom("Paid", "Paid", "Unpaid", "Invalidated", "OnHold"),
        type: fc.constantFrom("Live", "Live", "Test", null),
        day: fc.integer({ min: 1, max: 9 }),
        amount: fc.constantFrom(1500.5, 1400),
        collectionName: fc.constantFrom("Term 1", "Elsewhere"),
      })
      .map(({ status, day, ...changes }): Answer => saying(status, day, changes)),
  },
  fc.constantFrom(notFound, fault, keyRefused, limited(1_000), outside, interrupted),
);

/** What the tables of one source hold of an invoice: as the store writes them. */
interface Stored {
  state: Pick<Claimed, "verdict" | "attempt" | "faults" | "priority">;
  known: KnownInvoice | null;
  events: number;
}

const NOTHING: Stored = {
  state: { verdict: null, attempt: 0, faults: 0, priority: "unknown" },
  ...{ known: null, events: 0 },
};

const written = ({ known, events }: Stored, outcome: Outcome): Stored => ({
  state: { ...outcome, attempt: outcome.state === "dead" ? 0 : outcome.attempt },
  known: outcome.invoice?.newest === true ? outcome.invoice : known,
  events: Math.max(events, outcome.event === null ? 0 : 1),
});

describe("any eight answers about one invoice", () => {
  it("never take back a verdict paid or an event; a Paid answer of a type always has its event; each change is told", () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 8 }), (sequence) => {
        let before = NOTHING;
        for (const one of sequence) {
          const { verdict } = before.state;
          const asked = { ...before.state, known: before.known, hasEvent: before.events > 0 };
          const outcome = decided(asked, one, OURS);
          const after = written(before, outcome);

          if (verdict === "paid") expect(after.state.verdict).toBe("paid");
          expect(after.events).toBeGreaterThanOrEqual(before.events);
          if (before.events > 0) expect(["paid", null]).toContain(after.state.verdict);
          if (one.kind === "found") {
            const { status, type, amount, collectionName } = one.invoice;
            const isOurs = collectionName === "Term 1";
            if (status === "Paid") {
              expect(after.known?.status).toBe("Paid");
              if (isOurs && type !== null) expect(after.events).toBe(1);
              else if (isOurs && before.events === 0) {
                expect(outcome).toMatchObject({ state: expect.stringMatching("due|dead"), event: null });
                expect(outcome.verdict).toBe(verdict === "paid" ? "paid" : "pending");
              } else expect(after.events > 0 || after.state.verdict === "quarantined").toBe(true);
            }
            const isSame = Number(amount) === Number(before.known?.amount);
            if (
              verdict === "paid" &&
              !(status === "Paid" && isSame) &&
              !(status === before.known?.status && isSame)
            )
              expect(outcome.raises.map(({ name }) => name)).toContain("invoice_anomaly");
          }
          before = after;
        }
      }),
      { numRuns: 800 },
    );
  });
});
