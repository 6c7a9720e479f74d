import { describe, expect, it } from "vitest";
import type { Difference, Weight } from "../../src/reconcile/certificate/certificate.ts";
import type { PaymentJudgement } from "../../src/reconcile/certificate/judge-payment.ts";
import { Summary } from "../../src/reconcile/certificate/summary.ts";

const payment = (changes: Partial<PaymentJudgement> = {}): PaymentJudgement => ({
  day: "2026-10-10",
  isLive: true,
  isForeign: false,
  paid: "10.10",
  stored: "10.10",
  published: "10.10",
  differences: [],
  ...changes,
});

const difference = (weight: Weight, day: string, invoiceId = "a"): Difference => ({
  invoiceId,
  eventId: null,
  reason: "missing",
  detail: "",
  weight,
  day,
  amount: null,
});

function summaryOf(...payments: PaymentJudgement[]): Summary {
  const summary = new Summary();
  for (const one of payments) summary.add(one);
  return summary;
}

const tally = (count: number, amount: string) => ({ count, amount });
const NONE = tally(0, "0.00");
const COMPLETE = { missing: NONE, differences: 0 };

describe("a certificate's summary", () => {
  it("adds up days and total exactly, the days in their order (G10)", () => {
    const { days, total } = summaryOf(
      payment({ day: "2026-10-11" }),
      payment({ paid: "0.20", stored: "0.20", published: "0.20" }),
      payment(),
    ).contents;
    const ten = tally(2, "10.30");
    const eleven = tally(1, "10.10");
    expect(days).toEqual([
      { day: "2026-10-10", paid: ten, stored: ten, published: ten, ...COMPLETE },
      { day: "2026-10-11", paid: eleven, stored: eleven, published: eleven, ...COMPLETE },
    ]);
    expect(total).toEqual({
      paid: tally(3, "20.40"),
      stored: tally(3, "20.40"),
      published: tally(3, "20.40"),
      ...COMPLETE,
    });
  });

  it("counts in each place only what is there", () => {
    const { days, total } = summaryOf(
      payment({ published: null }),
      payment({ paid: null, stored: null }),
    ).contents;
    const one = tally(1, "10.10");
    expect(total).toEqual({ paid: one, stored: one, published: one, ...COMPLETE });
    expect(days).toHaveLength(1);
  });

  it("keeps Test payments apart", () => {
    const summary = summaryOf(payment({ isLive: false }), payment({ isLive: false, paid: null }));
    expect(summary.contents).toMatchObject({ days: [], total: { paid: NONE }, test: tally(1, "10.10") });
    expect(summary.isEqual).toBe(true);
  });

  it.each<[string, Partial<PaymentJudgement>]>([
    ["one less is stored", { stored: null }],
    ["one less is published", { published: null }],
    ["less is stored", { stored: "10.09" }],
    ["less is published", { published: "10.09" }],
    ["one of nothing less is stored", { paid: "0.00", stored: null, published: "0.00" }],
    ["there is a gap", { differences: [difference("gap", "2026-10-10")] }],
    ["there is a difference", { differences: [difference("difference", "2026-10-10")] }],
  ])("is not equal when %s", (_, changes) => {
    expect(summaryOf(payment(), payment(changes)).isEqual).toBe(false);
  });

  it("is equal with notes, and with the same amount in other words", () => {
    const noted = payment({ stored: "10.1", differences: [difference("note", "2026-10-10")] });
    expect(summaryOf(noted).isEqual).toBe(true);
  });

  it("names gaps, then differences, then notes, each by day and invoice, and counts them", () => {
    const summary = summaryOf(
      payment({ differences: [difference("note", "2026-10-01"), difference("gap", "2026-10-02", "b")] }),
      payment({
        differences: [difference("difference", "2026-10-01"), difference("gap", "2026-10-02", "a")],
      }),
    );
    summary.addDifference(difference("gap", "2026-10-01", "c"));
    const { gaps, differencesInAll, differences } = summary.contents;
    expect([gaps, differencesInAll]).toEqual([3, 5]);
    expect(differences.map(({ weight, day, invoiceId }) => `${weight} ${day} ${invoiceId}`)).toEqual([
      "gap 2026-10-01 c",
      "gap 2026-10-02 a",
      "gap 2026-10-02 b",
      "difference 2026-10-01 a",
      "note 2026-10-01 a",
    ]);
  });

  it("counts for each day what is missing and what differs, named or not (G10)", () => {
    const summary = new Summary();
    const gap = { ...difference("gap", "2026-10-01"), amount: "1.50" };
    for (let count = 0; count < 10_000; count += 1) summary.addDifference(gap);
    summary.add(payment({ day: "2026-10-02", differences: [difference("difference", "2026-10-02")] }));
    summary.add(payment({ day: "2026-10-03", differences: [difference("note", "2026-10-03")] }));
    summary.addDifference(difference("difference", "2026-10-04"));
    const { days, total, differences } = summary.contents;
    expect(differences.filter(({ weight }) => weight !== "gap")).toEqual([]);
    const counted = days.map(({ day, missing, differences: differing }) => [day, missing, differing]);
    expect(counted).toEqual([
      ["2026-10-01", tally(10_000, "15000.00"), 0],
      ["2026-10-02", NONE, 1],
      ["2026-10-03", NONE, 0],
      ["2026-10-04", NONE, 1],
    ]);
    expect(total).toMatchObject({ missing: tally(10_000, "15000.00"), differences: 2, paid: { count: 2 } });
  });

  it("has no day of which nothing is counted", () => {
    const summary = new Summary();
    summary.addUnnamed("2026-10-01", 0);
    expect(summary.isEqual).toBe(true);
    expect(summary.contents.days).toEqual([]);
  });

  it("names ten thousand at most, of each kind and in all, and counts on (G8)", () => {
    const summary = new Summary();
    for (let count = 0; count < 10_001; count += 1) summary.addDifference(difference("note", "2026-10-01"));
    expect(summary.contents.differences).toHaveLength(10_000);
    summary.addDifference(difference("gap", "2026-10-01"));
    const { differences, differencesInAll } = summary.contents;
    expect(differences).toHaveLength(10_000);
    expect(differences[0]?.weight).toBe("gap");
    expect(differencesInAll).toBe(10_002);
  });
});
