import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/kit/time.ts";
import type { PaymentFacts } from "../../src/reconcile/certificate/payment-facts.ts";
import {
  at,
  COMPLETE,
  document,
  judged,
  NOT_LISTED,
  NOT_STORED,
  paidAt,
  payload,
  saidOf,
  TERMS,
  UNDATED,
  WITHOUT_EVENT,
} from "./judging-payments.ts";

type Changes = Partial<PaymentFacts>;

const SEPTEMBER = new Date("2026-09-30T23:59:59.999Z");
const NOVEMBER = new Date("2026-11-01T00:00:00.000Z");

describe("a confirmation that nothing dates", () => {
  const dead: Changes = {
    askedCollection: "Term 1",
    ...NOT_LISTED,
    ...NOT_STORED,
    ...WITHOUT_EVENT,
    confirmation: "dead",
  };

  it.each<[string, Date, string[] | null]>([
    ["soon after", new Date("2026-11-01T23:00:00Z"), ["difference dead"]],
    ["long after", new Date("2026-11-02T00:00:00Z"), null],
  ])("belongs to the days before it was opened: %s", (_, openedAt, said) => {
    expect(saidOf({ ...dead, openedAt })).toEqual(said);
    expect(saidOf({ ...dead, openedAt, asked: "unknown", askedPaidAt: at("10T12:00:00") })).toContain(
      "difference status_unknown",
    );
  });
});

describe("a Test payment", () => {
  const TEST: Changes = {
    type: "Test",
    eventType: "Test",
    ...document({ type: "Test" }),
    accepted: false,
  };

  it("stands apart, and is only noted", () => {
    expect(judged(TEST)).toMatchObject({ isLive: false, paid: "1500.50" });
    expect(saidOf(TEST)).toEqual(["note test"]);
  });

  it("on the live topic is on the wrong one", () => {
    expect(saidOf({ ...TEST, accepted: true })).toEqual(["difference wrong_topic"]);
  });

  it("that is no payment is nothing", () => {
    expect(judged({ ...TEST, ...NOT_LISTED, status: "Unpaid" })).toBeNull();
  });

  it("that is stored, and no longer listed, is noted", () => {
    expect(saidOf({ ...TEST, ...NOT_LISTED })).toEqual(["note test"]);
  });

  const erased = { inDocument: null, documentIsWhole: null };
  it.each<[string, Changes]>([
    ["the whole document does", {}],
    ["in any case", { type: " TEST ", ...document({ type: "test" }) }],
    ["it is erased, and Get Invoice does", { ...erased, asked: "paid", askedType: "Test" }],
    ["it is not stored, and Get Invoice does", { ...NOT_STORED, asked: "paid", askedType: "Test" }],
    ["its event says otherwise", { eventType: "Live" }],
  ])("is one where the provider says so: %s", (_, changes) => {
    expect(judged({ ...TEST, ...changes })).toMatchObject({ isLive: false });
  });

  it.each<[string, Changes]>([
    ["Get Invoice says Live", { askedType: "Live" }],
    ["Get Invoice says something else", { askedType: "Production" }],
    ["the column says Live", { type: "Live" }],
    ["the document says Live", document({ type: "live" })],
    ["the document says something else", { type: "Sandbox", ...document({ type: "Sandbox" }) }],
    ["nothing says what it is", { type: null, ...document({ type: null }) }],
    ["only a column says so: it is erased", erased],
    ["only a column and a changed document say so", { documentIsWhole: false }],
    ["only its event says so", NOT_STORED],
  ])("is Live, and so has to be published, where %s", (_, changes) => {
    const outcome = judged({ ...TEST, ...changes });
    expect(outcome).toMatchObject({ isLive: true });
    expect(outcome?.differences).toContainEqual(expect.objectContaining({ weight: "gap" }));
  });
});

describe("the day that a payment counts on", () => {
  it.each<[string, Changes, string]>([
    ["as Get Invoice says now", { paidAt: at("12T00:00:00"), askedPaidAt: at("13T00:00:00") }, "2026-10-13"],
    ["else the confirmed answer's", { paidAt: at("12T00:00:00") }, "2026-10-12"],
    ["else the list's", { paidAt: null }, "2026-10-10"],
    ["else the event's", { paidAt: null, listedPaidAt: null }, "2026-10-10"],
    ["its first moment included", { ...paidAt(at("01T00:00:00")), createdAt: SEPTEMBER }, "2026-10-01"],
    ["else the day of its creation", UNDATED, "2026-10-09"],
    ["as Get Invoice says", { ...UNDATED, createdAt: null, askedCreatedAt: at("07T00:00:00") }, "2026-10-07"],
    ["as the list says", { ...UNDATED, createdAt: null, listedCreatedAt: at("08T00:00:00") }, "2026-10-08"],
    ["created at the first moment", { ...UNDATED, createdAt: at("01T00:00:00") }, "2026-10-01"],
    ["else the day it was heard of", { ...UNDATED, createdAt: null, listedCreatedAt: null }, "2026-10-10"],
    [
      "... which is the last one at most",
      { ...UNDATED, createdAt: null, listedCreatedAt: null, openedAt: new Date("2026-12-01T00:00:00Z") },
      "2026-10-31",
    ],
    [
      "else the first day",
      { ...UNDATED, createdAt: null, listedCreatedAt: null, openedAt: null },
      "2026-10-01",
    ],
    [
      "... when it was heard of before",
      { ...UNDATED, createdAt: null, listedCreatedAt: null, openedAt: SEPTEMBER },
      "2026-10-01",
    ],
    [
      "a date that is none is as good as no date",
      { ...UNDATED, ...payload({ paidAt: "soon" }) },
      "2026-10-09",
    ],
  ])("%s", (_, changes, day) => {
    expect(judged(changes)).toMatchObject({ day, paid: "1500.50" });
  });

  it.each<[string, Changes]>([
    ["paid before it", { ...paidAt(SEPTEMBER), createdAt: SEPTEMBER }],
    ["paid after it", paidAt(NOVEMBER)],
    ["undated, created after it", { ...UNDATED, createdAt: NOVEMBER }],
  ])("is none of this period: %s", (_, changes) => {
    expect(judged(changes)).toBeNull();
  });

  it("one that only others date here counts elsewhere, and is named here when anything is wrong", () => {
    const elsewhere = { ...paidAt(SEPTEMBER), createdAt: SEPTEMBER, listedPaidAt: at("10T12:00:00") };
    expect(judged(elsewhere)).toBeNull();
    expect(judged({ ...elsewhere, verdict: "not_paid" })).toMatchObject({
      day: "2026-10-10",
      paid: "1500.50",
    });
  });

  it("one that nothing dates, created before, is named here and counted there", () => {
    expect(judged({ ...UNDATED, createdAt: SEPTEMBER, hasCallback: false })).toMatchObject({
      day: "2026-10-01",
      paid: null,
      stored: null,
      published: null,
      differences: [{ reason: "undated", weight: "note" }],
    });
    expect(judged({ ...UNDATED, createdAt: SEPTEMBER, verdict: "not_paid" })).toMatchObject({
      paid: "1500.50",
    });
  });

  it("one that says it is paid more than a day ahead counts by its creation, and is named", () => {
    const future = new Date(TERMS.now.getTime() + DAY_MS + 1);
    expect(judged(paidAt(future))).toMatchObject({ day: "2026-10-09", differences: [{ reason: "future" }] });
    expect(judged({ ...paidAt(future), createdAt: SEPTEMBER })).toMatchObject({
      day: "2026-10-01",
      paid: null,
    });
    const window = { from: TERMS.window.from, to: new Date("2026-12-01T00:00:00Z") };
    expect(judged(paidAt(TERMS.now), { window })).toMatchObject({ day: "2026-11-02", differences: [] });
  });

  it("one whose confirmed date is in the future counts by the other", () => {
    const future = new Date(TERMS.now.getTime() + DAY_MS + 1);
    const changes = { ...paidAt(at("10T12:00:00")), paidAt: future };
    expect(judged(changes)).toMatchObject({ day: "2026-10-10", paid: "1500.50" });
  });

  it("one that is paid right now, or by a clock up to a day ahead, is of no period before", () => {
    for (const ahead of [0, DAY_MS]) expect(judged(paidAt(new Date(TERMS.now.getTime() + ahead)))).toBeNull();
  });

  it.each(["2199-01-01T00:00:00Z", "1975-01-01T00:00:00Z", "2026-10-02T00:00:00Z"])(
    "one that anybody dates %s, which cannot be, is of the period that the others say",
    (date) => {
      const none = new Date(date);
      expect(judged({ paidAt: NOVEMBER, listedPaidAt: none, ...payload({ paidAt: null }) })).toBeNull();
      const { inPayload } = payload({ paidAt: date });
      const everywhere = { askedPaidAt: none, paidAt: none, listedPaidAt: none, inPayload };
      expect(judged(everywhere)).toMatchObject({ day: "2026-10-09", paid: "1500.50" });
    },
  );

  it("one whose dates can all be none is named in every period that it may belong to", () => {
    const dated = paidAt(new Date("2026-08-01T00:00:00Z"));
    expect(judged({ ...dated, createdAt: SEPTEMBER })).toMatchObject({
      day: "2026-10-01",
      paid: null,
      differences: [{ reason: "undated", weight: "note" }],
    });
  });

  it("one that was created in the future is of today, by hours, and else has no date of creation", () => {
    const hour = 3_600_000;
    const createdAt = new Date(TERMS.now.getTime() + hour);
    const window = { from: TERMS.window.from, to: new Date(TERMS.now.getTime() + 2 * hour) };
    expect(judged({ ...UNDATED, createdAt }, { window })).toMatchObject({ day: "2026-11-02" });
    expect(judged({ ...UNDATED, createdAt })).toBeNull();
    expect(judged({ ...UNDATED, createdAt: new Date("2199-01-01T00:00:00Z") })).not.toBeNull();
  });
});

it("what is not accepted is not published, whatever stands in its event", () => {
  expect(judged({ accepted: false })).toMatchObject({ paid: "1500.50", stored: "1500.50", published: null });
  expect(judged(NOT_STORED)).toMatchObject({ paid: "1500.50", stored: null });
  expect(judged({ ...NOT_LISTED })).toMatchObject({ paid: null, stored: "1500.50", published: "1500.50" });
  expect(COMPLETE.accepted).toBe(true);
});
