import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge } from "../../src/confirm/judge.ts";
import type { Outcome } from "../../src/confirm/outcome.ts";
import type { Claimed, KnownInvoice } from "../../src/confirm/queue/claim.ts";
import type { Answer } from "../../src/provider/provider.ts";
import { confirmation, EVEN, found, rules } from "./judging-fixture.ts";

/** An answer as the generator writes it. */
type Said =
  | { kind: "found"; status: string; type: string | null; day: number; amount: string; collection: string }
  | { kind: "not_found" | "fault" | "key_refused" | "rate_limited" | "outside_contract" | "interrupted" };

const said: fc.Arbitrary<Said> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("found" as const),
      status: fc.constantFrom("Paid", "Paid", "Unpaid", "Invalidated", "OnHold"),
      type: fc.constantFrom("Live", "Live", "Test", null),
      day: fc.integer({ min: 1, max: 9 }),
      amount: fc.constantFrom("1500.50", "1400.00"),
      collection: fc.constantFrom("Term 1", "Elsewhere"),
    }),
  },
  fc.record({
    kind: fc.constantFrom(
      "not_found",
      "fault",
      "key_refused",
      "rate_limited",
      "outside_contract",
      "interrupted",
    ),
  }) as fc.Arbitrary<Said>,
);

function answerOf(one: Said): Answer {
  switch (one.kind) {
    case "found":
      return found({
        status: one.status,
        type: one.type,
        dateModified: `2026-11-0${one.day}T09:00:00Z`,
        amount: Number(one.amount),
        collectionName: one.collection,
      });
    case "not_found":
      return { kind: "not_found", inOwnWords: true, error: "no such id" };
    case "rate_limited":
      return { kind: "rate_limited", error: "429", retryAfterMs: 1_000 };
    case "outside_contract":
      return { kind: "outside_contract", error: "odd", evidence: "{}" };
    case "fault":
    case "key_refused":
      return { kind: one.kind, error: "away" };
    case "interrupted":
      return { kind: "interrupted" };
  }
}

/** What the tables of one source hold of an invoice: as `store/` writes them. */
interface Books {
  state: Pick<Claimed, "verdict" | "attempt" | "faults" | "priority">;
  known: KnownInvoice | null;
  events: number;
}

const EMPTY: Books = {
  state: { verdict: null, attempt: 0, faults: 0, priority: "unknown" },
  known: null,
  events: 0,
};

function written({ known, events }: Books, outcome: Outcome): Books {
  const { verdict, attempt, faults, priority, invoice, event } = outcome;
  const stored =
    invoice?.newest === true
      ? {
          status: invoice.status,
          type: invoice.type,
          modifiedAt: invoice.modifiedAt,
          amount: invoice.amount,
          totalAmount: invoice.totalAmount,
          digest: invoice.digest,
        }
      : known;
  const isAgain = outcome.state === "dead";
  return {
    state: { verdict, attempt: isAgain ? 0 : attempt, faults, priority },
    known: stored,
    events: Math.max(events, event === null ? 0 : 1),
  };
}

const ours = { ...rules, collectionNames: new Set(["Term 1"]) };

describe("any eight answers about one invoice, from two sources", () => {
  it("never take back a verdict paid or an event; a Paid answer of a type always has its event; each change is told", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("here", "there"), said), { maxLength: 8 }),
        (sequence) => {
          const books = new Map<string, Books>([
            ["here", EMPTY],
            ["there", EMPTY],
          ]);
          for (const [source, one] of sequence) {
            const before = books.get(source) ?? EMPTY;
            const claimed = confirmation({
              ...before.state,
              source,
              known: before.known,
              hasEvent: before.events > 0,
            });
            const outcome = judge(claimed, answerOf(one), ours, EVEN);
            const after = written(before, outcome);
            books.set(source, after);

            if (before.state.verdict === "paid") expect(after.state.verdict).toBe("paid");
            expect(after.events).toBeGreaterThanOrEqual(before.events);
            if (before.events > 0) expect(["paid", null]).toContain(after.state.verdict);
            if (one.kind !== "found") continue;
            if (one.status === "Paid") {
              expect(after.known?.status).toBe("Paid");
              if (one.collection === "Term 1" && one.type !== null) expect(after.events).toBe(1);
              else if (one.collection === "Term 1" && before.events === 0) {
                expect(outcome).toMatchObject({ state: expect.stringMatching("due|dead"), event: null });
                expect(outcome.verdict).toBe(before.state.verdict === "paid" ? "paid" : "pending");
              } else expect(after.events > 0 || after.state.verdict === "quarantined").toBe(true);
            }
            const changed =
              before.state.verdict === "paid" &&
              (one.status !== before.known?.status || Number(one.amount) !== Number(before.known?.amount)) &&
              !(one.status === "Paid" && Number(one.amount) === Number(before.known?.amount));
            if (changed) expect(outcome.raises.map(({ name }) => name)).toContain("invoice_anomaly");
          }
        },
      ),
      { numRuns: 800 },
    );
  });

  it("that say Unpaid again and again after payment are told once, and once more when they change again", () => {
    const paidBefore = confirmation({ verdict: "paid", known: null, hasEvent: true });
    const answer = (status: string, day: number) =>
      answerOf({ kind: "found", status, type: "Live", day, amount: "1500.50", collection: "Term 1" });
    const first = judge(paidBefore, answer("Unpaid", 2), ours, EVEN);
    expect(first.raises).toHaveLength(1);
    const { known } = written(EMPTY, first);
    expect(judge({ ...paidBefore, known }, answer("Unpaid", 3), ours, EVEN).raises).toEqual([]);
    expect(judge({ ...paidBefore, known }, answer("Invalidated", 4), ours, EVEN).raises).toMatchObject([
      { name: "invoice_anomaly" },
    ]);
  });
});
