import { describe, expect, it } from "vitest";
import type { PaymentFacts } from "../../src/reconcile/certificate/payment-facts.ts";
import {
  AMOUNTS,
  at,
  document,
  EVENT,
  eventAnswer,
  INVOICE,
  judged,
  NOT_LISTED,
  NOT_STORED,
  paidAt,
  payload,
  saidOf,
  UNDATED,
  WITHOUT_EVENT,
} from "./judging-payments.ts";

type Changes = Partial<PaymentFacts>;

/** How some platforms write "no date". */
const EPOCH = { paymentDate: "1970-01-01T00:00:00" };
const MONEY = { paid: "1500.50", stored: "1500.50", published: "1500.50" };

describe("what is said of a payment", () => {
  const elsewhere = "arn:aws:sns:eu-west-1:000000000000:other";
  const unheard = { ...WITHOUT_EVENT, ...NOT_STORED };
  const isElsewhere = { accepted: false, acceptedElsewhere: elsewhere };
  it.each<[string, string, Changes]>([
    ["gap event_missing", "its confirmation is gone", { ...WITHOUT_EVENT, confirmation: null }],
    ["gap quarantined", "it is held back", { ...WITHOUT_EVENT, verdict: "quarantined" }],
    ["gap recorded_only", "it was only to be recorded", { ...WITHOUT_EVENT, recordOnly: true }],
    ["gap dead", "it was given up", { ...unheard, confirmation: "dead", verdict: "pending" }],
    ["gap no_acceptance", "its event waits nowhere", { accepted: false }],
    ["gap held", "its event is held", { accepted: false, outboxState: "held" }],
    ["gap event_dead", "its event was given up", { accepted: false, outboxState: "dead" }],
    ["gap dead", "it is dead, and dismissed", { ...unheard, confirmation: "dead", dismissedBy: "ada" }],
    ["gap not_confirmed", "it is asked for now", { ...unheard, confirmation: "claimed", verdict: null }],
    ["gap unpublished", "its event is being sent", { accepted: false, outboxState: "claimed" }],
    ["gap wrong_topic", "it was accepted elsewhere", isElsewhere],
    ["gap event_dead", "... and is dead on the right topic", { ...isElsewhere, outboxState: "dead" }],
    ["gap held", "... and is held on the right topic", { ...isElsewhere, outboxState: "held" }],
  ])("%s: %s", (said, _, changes) => {
    expect(saidOf(changes)).toContain(said);
  });

  const before: Changes = { ...WITHOUT_EVENT, ...NOT_STORED, confirmation: null };
  it.each<[string, Changes, Date | null]>([
    ["gap before_start", before, at("10T12:00:00.001")],
    ["gap before_start", before, null],
    ["gap before_start", { ...WITHOUT_EVENT, recordOnly: true }, null],
    ["gap missing", before, at("10T12:00:00")],
    ["gap missing", { ...before, listedPaidAt: null }, null],
    ["gap not_confirmed", { ...before, confirmation: "due" }, null],
  ])("%s, when it was paid before the first serve or not", (said, changes, firstServedAt) => {
    expect(saidOf(changes, { firstServedAt })).toContain(said);
  });

  it.each<[string, Changes]>([
    ["difference invoice_missing", NOT_STORED],
    ["difference not_paid", { status: "Unpaid" }],
    ["difference not_at_provider", NOT_LISTED],
    ["difference not_at_provider", { ...NOT_LISTED, asked: "not_found" }],
    ["difference not_at_provider", { label: null, asked: "not_paid" }],
    ["difference not_at_provider", { asked: "not_paid" }],
    ["difference status_unknown", { asked: "unknown" }],
    ["difference status_unknown", { ...NOT_STORED, ...WITHOUT_EVENT, asked: "unknown" }],
    ["difference status_unknown", { ...NOT_LISTED, asked: "unclear" }],
    ["difference status_unknown", { ...NOT_LISTED, ...NOT_STORED, ...WITHOUT_EVENT, asked: "unclear" }],
    ["difference event_without_payment", { ...NOT_LISTED, ...NOT_STORED }],
    [
      "difference dead",
      { ...NOT_LISTED, ...NOT_STORED, ...WITHOUT_EVENT, confirmation: "dead", openedAt: at("10T12:00:00") },
    ],
    ["difference quarantined", { ...NOT_LISTED, ...NOT_STORED, ...WITHOUT_EVENT, verdict: "quarantined" }],
    ["difference confirmation_missing", { confirmation: null, verdict: null }],
    ["difference confirmation_missing", { ...NOT_LISTED, ...WITHOUT_EVENT, confirmation: null }],
    ["difference verdict_differs", { verdict: "not_paid" }],
    ["difference digest_missing", { digestMatches: null, digestDiffers: null }],
    ["difference payload_differs", { digestMatches: false, digestDiffers: true }],
    ["difference payload_differs", payload({ id: INVOICE })],
    ["difference payload_differs", payload({ subject: EVENT })],
    ["difference payload_differs", { inPayload: null }],
    ["difference amount_differs", { amountsDiffer: true }],
    ["difference amount_differs", { listedAmount: "1500.51" }],
    ["difference amount_differs", { askedAmount: "1500.49" }],
    ["difference amount_differs", { listedAmount: "1500.50 NGN" }],
    ["difference amount_differs", { listedAmount: "x1500.50" }],
    ["difference amount_differs", { listedAmount: null, amounts: { ...AMOUNTS, amount: "1" } }],
    ["difference amount_differs", { amounts: null }],
    ["difference amount_differs", payload({ amount: "1500.51" })],
    ["difference amount_differs", payload({ amount: null })],
    ["difference amount_differs", payload({ amount: " " })],
    ["difference books_differ", { documentIsWhole: false }],
    ["difference books_differ", document({ amount: "1" })],
    ["difference books_differ", document({ serviceCharge: "1" })],
    ["difference books_differ", document({ vat: null })],
    ["difference books_differ", document({ totalAmount: "1" })],
    ["difference books_differ", document({ settleableAmount: "1" })],
    ["difference books_differ", document({ status: "Unpaid" })],
    ["difference books_differ", document({ status: null })],
    ["difference books_differ", document({ type: "Test" })],
    ["difference books_differ", { type: null }],
    ["difference books_differ", payload({ vat: "1" })],
    ["difference books_differ", eventAnswer({ vat: "1" })],
    ["difference books_differ", eventAnswer({ isWhole: false })],
    ["difference books_differ", eventAnswer({ type: "Test" })],
    ["difference books_differ", eventAnswer({ paymentDate: "2026-10-10T12:00:01Z" })],
    ["difference books_differ", { eventAnswers: [] }],
    ["difference books_differ", { eventAnswers: null, ...payload({ vat: "1" }) }],
    ["difference amount_differs", { ...payload({ totalAmount: "1" }), ...eventAnswer({ totalAmount: "1" }) }],
    ["difference books_differ", payload({ paidAt: at("10T12:00:01").toISOString() })],
    ["difference books_differ", payload({ paidAt: null })],
    ["difference books_differ", { paidAt: null, askedPaidAt: at("10T12:00:00") }],
    ["difference books_differ", { eventType: "Test" }],
  ])("%s: %j", (said, changes) => {
    expect(saidOf(changes)).toContain(said);
  });

  it.each<[string, Changes]>([
    ["note callback_missing", { hasCallback: false }],
    ["note undated", UNDATED],
    ["note undated", { ...paidAt(new Date(0)), ...document(EPOCH), ...eventAnswer(EPOCH) }],
    ["note future", { listedPaidAt: new Date("2026-11-02T00:00:00.001Z") }],
    ["note counted_by_asking", { ...NOT_LISTED, asked: "paid" }],
    [
      "note type_changed",
      { eventType: "Test", ...payload({ type: "Test" }), ...eventAnswer({ type: "Test" }) },
    ],
    ["note corrected", { ...payload({ vat: "1" }), ...eventAnswer({ vat: "1" }) }],
    ["note corrected", { ...payload({ totalAmount: null }), ...eventAnswer({ totalAmount: null }) }],
    ["note corrected", { ...payload({ paidAt: null }), ...eventAnswer({ paymentDate: null }) }],
    ["note corrected", { asked: "paid", askedPaidAt: at("10T12:00:01") }],
    ["note type_changed", { type: "Sandbox", ...document({ type: "Sandbox" }) }],
    ["note type_changed", { type: null, ...document({ type: null }) }],
    ["note type_changed", { type: "Test", ...document({ type: "Test" }), askedType: "Live" }],
  ])("%s alone, which leaves all equal: %j", (said, changes) => {
    expect(judged(changes)).toMatchObject({ paid: "1500.50", published: "1500.50" });
    expect(saidOf(changes)).toEqual([said]);
  });

  const isTestNow: Changes = {
    ...{ type: "Test", askedType: "Test", inLive: false, inTest: true },
    ...document({ type: "Test" }),
  };
  it.each<[string, Changes]>([
    ["note type_changed", {}],
    ["difference wrong_topic", { eventType: "Test" }],
    ["difference wrong_topic", payload({ type: "Test" })],
    ["difference wrong_topic", { eventType: "Test", ...payload({ type: "Test" }) }],
    ["difference wrong_topic", { digestMatches: null }],
    ["note test", { accepted: false, acceptedElsewhere: elsewhere }],
  ])("%s, of a Test invoice, and it counts as no payment: %j", (said, changes) => {
    expect(judged({ ...isTestNow, ...changes })).toMatchObject({ isLive: false });
    expect(saidOf({ ...isTestNow, ...changes })).toEqual([said]);
  });

  const unsent: Changes = { accepted: false, outboxState: "due", digestMatches: null };
  it.each<[string[], Changes]>([
    [["gap missing"], { ...WITHOUT_EVENT, ...NOT_STORED, confirmation: null }],
    [["gap event_missing"], WITHOUT_EVENT],
    [["gap not_paid"], { ...WITHOUT_EVENT, verdict: "not_paid" }],
    [["gap unpublished"], unsent],
    [
      ["gap wrong_topic"],
      {
        ...{ accepted: false, acceptedElsewhere: elsewhere, digestMatches: null, eventType: "Test" },
        ...payload({ type: "Test" }),
        ...eventAnswer({ type: "Test" }),
      },
    ],
    [["gap unpublished"], { ...unsent, verdict: "not_paid" }],
    [["difference invoice_missing"], NOT_STORED],
    [["difference status_unknown"], { ...NOT_LISTED, asked: "unclear" }],
    [["difference confirmation_missing"], { confirmation: null, verdict: null }],
    [["difference event_without_payment"], { ...NOT_LISTED, ...NOT_STORED, confirmation: "dead" }],
    [["difference event_without_payment"], { ...NOT_LISTED, ...NOT_STORED, ...UNDATED }],
    [
      ["difference event_without_payment", "difference verdict_differs"],
      { ...NOT_LISTED, ...NOT_STORED, verdict: "quarantined" },
    ],
    [
      ["difference event_without_payment", "difference confirmation_missing"],
      { ...NOT_LISTED, ...NOT_STORED, confirmation: null, verdict: null },
    ],
    [
      ["difference event_without_payment"],
      { ...NOT_LISTED, status: "Unpaid", ...document({ status: "Unpaid" }), ...payload({ paidAt: null }) },
    ],
    [["difference not_at_provider", "note undated"], { ...NOT_LISTED, ...UNDATED }],
    [["difference amount_differs", "difference books_differ"], payload({ amount: "1500.50 NGN" })],
  ])("is only what is wrong, and nothing that follows from it: %j", (said, changes) => {
    expect(saidOf(changes)).toEqual(said);
  });

  it("is nothing where an amount is missing everywhere", () => {
    const without = { settleableAmount: null };
    const changes = { amounts: { ...AMOUNTS, ...without }, ...document({ settleableAmount: " " }) };
    expect(saidOf({ ...changes, ...payload(without), ...eventAnswer(without) })).toEqual([]);
  });

  it("names invoice, event, day, amount and the reason in words", () => {
    expect(judged({ accepted: false, outboxState: "due" })?.differences).toEqual([
      {
        invoiceId: INVOICE,
        eventId: EVENT,
        reason: "unpublished",
        weight: "gap",
        detail: "its event is waiting to be published",
        day: "2026-10-10",
        amount: "1500.50",
      },
    ]);
  });

  it.each<[Changes, string | null]>([
    [{ listedAmount: "2", askedAmount: "3" }, "2.00"],
    [{ listedAmount: null, askedAmount: "3" }, "3.00"],
    [{ listedAmount: null }, "1500.50"],
    [{ listedAmount: null, amounts: null }, null],
    [{ listedAmount: "much" }, "0.00"],
  ])("with the first amount that somebody says: %j is %j", (amounts, amount) => {
    const changes = { ...amounts, verdict: "not_paid" as const };
    expect(judged(changes)?.differences.at(-1)).toMatchObject({ reason: "verdict_differs", amount });
  });
});

describe("nothing is said, and nothing counted", () => {
  const nothing = { ...NOT_LISTED, ...NOT_STORED, ...WITHOUT_EVENT };
  it.each<[string, Changes]>([
    ["of an invoice that nobody paid", { ...nothing, confirmation: "done", verdict: "not_paid" }],
    [
      "of one that is stored as unpaid",
      { ...NOT_LISTED, ...WITHOUT_EVENT, status: "Unpaid", verdict: "not_paid" },
    ],
    ["of a dead one that was dismissed", { ...nothing, confirmation: "dead", dismissedBy: "ada" }],
    [
      "of one in quarantine that the provider has since called unpaid",
      { ...NOT_LISTED, ...WITHOUT_EVENT, status: "Unpaid", verdict: "quarantined" },
    ],
    ["of a payment of another collection", { ...NOT_LISTED, collectionName: "Other" }],
    ["of one that now belongs to another", { ...NOT_LISTED, askedCollection: "Other" }],
  ])("%s", (_, changes) => {
    expect(judged(changes)).toBeNull();
  });

  it("but a payment that has since come to this collection counts", () => {
    const changes = {
      ...NOT_LISTED,
      collectionName: "Other",
      askedCollection: "Term 1",
      asked: "paid" as const,
    };
    expect(judged(changes)).toMatchObject(MONEY);
  });
});
