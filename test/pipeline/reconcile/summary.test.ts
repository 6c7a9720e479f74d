import { expect, it } from "vitest";
import type { Difference, Weight } from "../../../src/pipeline/reconcile/certificate/certificate.ts";
import type { PaymentDecision } from "../../../src/pipeline/reconcile/certificate/decide-payment.ts";
import { Summary } from "../../../src/pipeline/reconcile/certificate/summary.ts";

const payment = (changes: Partial<PaymentDecision> = {}): PaymentDecision => ({
  ...{ day: "2026-10-10", isLive: true, isForeign: false, differences: [] },
  ...{ paid: "10.10", stored: "10.10", published: "10.10", ...changes },
});

const difference = (weight: Weight, day: string, invoiceId = "a"): Difference => ({
  ...{ weight, day, invoiceId, eventId: null, reason: "missing", detail: "", amount: "1.50" },
});

function summaryOf(...payments: PaymentDecision[]): Summary {
  const summary = new Summary();
  for (const one of payments) summary.add(one);
  return summary;
}

const tally = (count: number, amount: string) => ({ count, amount });
const NONE = tally(0, "0.00");
const columns = (one: object) => ({ paid: one, stored: one, published: one, missing: NONE, differences: 0 });

it("adds up days and total exactly, the days in their order, and in each place what is there (G10)", () => {
  const { days, total } = summaryOf(
    payment({ day: "2026-10-11", published: null }),
    payment({ day: "2026-10-11", paid: null, stored: null }),
    payment({ paid: "0.20", stored: "0.20", published: "0.20" }),
    payment(),
  ).contents;
  expect(days).toEqual([
    { day: "2026-10-10", ...columns(tally(2, "10.30")) },
    { day: "2026-10-11", ...columns(tally(1, "10.10")) },
  ]);
  expect(total).toEqual(columns(tally(3, "20.40")));
});

it("keeps Test payments apart", () => {
  const summary = summaryOf(payment({ isLive: false }), payment({ isLive: false, paid: null }));
  expect(summary.contents).toMatchObject({ days: [], total: { paid: NONE }, test: tally(1, "10.10") });
  expect(summary.isEqual).toBe(true);
});

it.each<[boolean, string, Partial<PaymentDecision>]>([
  [false, "one less is stored", { stored: null }],
  [false, "one less is published", { published: null }],
  [false, "less is stored", { stored: "10.09" }],
  [false, "less is published", { published: "10.09" }],
  [false, "one of nothing less is stored", { paid: "0.00", stored: null, published: "0.00" }],
  [false, "there is a gap", { differences: [difference("gap", "2026-10-10")] }],
  [false, "there is a difference", { differences: [difference("difference", "2026-10-10")] }],
  [true, "there are notes", { differences: [difference("note", "2026-10-10")] }],
  [true, "an amount is written otherwise", { stored: "10.1" }],
])("is equal: %s, when %s", (isEqual, _, changes) => {
  expect(summaryOf(payment(), payment(changes)).isEqual).toBe(isEqual);
});

it("names gaps, then differences, then notes, each by day and invoice, and counts them", () => {
  const summary = summaryOf(
    payment({ differences: [difference("note", "2026-10-01"), difference("gap", "2026-10-02", "b")] }),
    payment({ differences: [difference("difference", "2026-10-01"), difference("gap", "2026-10-02")] }),
  );
  summary.addDifference(difference("gap", "2026-10-01", "c"));
  const { gaps, differencesInAll, differences } = summary.contents;
  expect([gaps, differencesInAll]).toEqual([3, 5]);
  const named = differences.map(({ weight, day, invoiceId }) => `${weight} ${day} ${invoiceId}`);
  const gapsNamed = ["gap 2026-10-01 c", "gap 2026-10-02 a", "gap 2026-10-02 b"];
  expect(named).toEqual([...gapsNamed, "difference 2026-10-01 a", "note 2026-10-01 a"]);
});

it("counts for each day what is missing and what differs, of which it names ten thousand at most (G8, G10)", () => {
  const summary = new Summary();
  const add = (weight: Weight, day: string) => summary.addDifference(difference(weight, day));
  summary.addUnnamed("2026-10-05", 0);
  for (let count = 0; count < 10_001; count += 1) add("note", "2026-10-01");
  expect(summary.contents.differences).toHaveLength(10_000);
  for (let count = 0; count < 10_000; count += 1) add("gap", "2026-10-01");
  add("difference", "2026-10-02");
  summary.add(payment({ day: "2026-10-03", differences: [difference("note", "2026-10-03")] }));
  summary.addUnnamed("2026-10-04", 2);
  const { days, total, differences, differencesInAll } = summary.contents;
  expect(days.map((one) => [one.day, one.missing, one.differences])).toEqual([
    ["2026-10-01", tally(10_000, "15000.00"), 0],
    ["2026-10-02", NONE, 1],
    ["2026-10-03", NONE, 0],
    ["2026-10-04", NONE, 2],
  ]);
  expect(total).toMatchObject({ missing: tally(10_000, "15000.00"), differences: 3, paid: { count: 1 } });
  expect(differences).toHaveLength(10_000);
  expect(differences.every(({ weight }) => weight === "gap")).toBe(true);
  expect(differencesInAll).toBe(20_005);
});
