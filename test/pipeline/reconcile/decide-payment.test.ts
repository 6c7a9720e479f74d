import { describe, expect, it } from "vitest";
import type { Weight } from "../../../src/pipeline/reconcile/certificate/certificate.ts";
import type { Terms } from "../../../src/pipeline/reconcile/certificate/decide-payment.ts";
import {
  AMOUNTS,
  at,
  type Changes,
  decided,
  document,
  EVENT,
  eventAnswer,
  INVOICE,
  NOT_LISTED,
  NOT_STORED,
  paidAt,
  payload,
  saidOf,
  UNDATED,
  WITHOUT_EVENT,
} from "./deciding-payments.ts";

/** How some platforms write "no date". */
const EPOCH = { paymentDate: "1970-01-01T00:00:00" };
const MONEY = { paid: "1500.50", stored: "1500.50", published: "1500.50" };
const UNHEARD = { ...WITHOUT_EVENT, ...NOT_STORED };
const NOWHERE = { ...NOT_LISTED, ...NOT_STORED };
const ELSEWHERE = "arn:aws:sns:eu-west-1:000000000000:other";
const ACCEPTED_ELSEWHERE = { accepted: false, acceptedElsewhere: ELSEWHERE, digestMatches: null };
const UNSENT: Changes = { accepted: false, outboxState: "due", digestMatches: null };
const EVERYWHERE_TEST = { ...payload({ type: "Test" }), ...eventAnswer({ type: "Test" }), eventType: "Test" };

/** An amount that is missing everywhere. */
const without = { settleableAmount: null };
const NOT_SETTLEABLE = {
  ...payload(without),
  ...eventAnswer(without),
  ...document({ settleableAmount: " " }),
};

describe("a payment that is the same in all three places", () => {
  it("counts in each, on the day it was paid, and nothing is said of it (G10)", () => {
    const same = { day: "2026-10-10", isLive: true, isForeign: false, ...MONEY, differences: [] };
    expect(decided({})).toEqual(same);
  });

  it.each<[string, Changes]>([
    ["with a status written otherwise", { status: " PAID ", ...document({ status: "paid" }) }],
    ["with another of PAID_STATUSES", { status: "Settled", ...document({ status: "Settled" }) }],
    ["with a type written otherwise", { type: "live ", ...document({ type: "LIVE" }) }],
    ["with amounts written otherwise", { listedAmount: "+1500.500", ...document({ amount: " 15005e-1 " }) }],
    ["without an amount anywhere", { amounts: { ...AMOUNTS, ...without }, ...NOT_SETTLEABLE }],
    [
      "whose answers were erased",
      { inDocument: null, documentIsWhole: null, ...eventAnswer({ isErased: true, vat: null }) },
    ],
    [
      "by an answer without a zone, read by another PROVIDER_TIME_ZONE",
      {
        ...document({ paymentDate: "2026-10-10 13:00:00" }),
        ...eventAnswer({ paymentDate: "2026-10-10T08:00" }),
      },
    ],
    [
      "with a charge that no amount can be read from",
      {
        ...{ amounts: { ...AMOUNTS, vat: null }, ...document({ vat: "n/a" }) },
        ...{ ...payload({ vat: null }), ...eventAnswer({ vat: "n/a" }) },
      },
    ],
    [
      "of an earlier version, whose answers are all that are stored",
      { eventAnswers: [{ vat: "1" }, { isNewest: false }].flatMap((one) => eventAnswer(one).eventAnswers) },
    ],
    ["whose event's answer is gone, as long as the newest says the same", { eventAnswers: null }],
    ["whose event was made again after one acceptance that fits", { digestDiffers: true }],
    ["that was asked about", { asked: "paid", askedAmount: "1500.50", askedType: "Live" }],
    ["of a list that hides what it was asked for", { label: null, asked: "paid" }],
    ["of a list that hides it, not asked about", { label: null }],
    ["of another name of this list", { collectionName: "Other" }],
  ])("%s is still the same", (_, changes) => {
    expect(decided(changes)).toMatchObject({ ...MONEY, differences: [] });
  });
});

describe("what is said of a payment, and nothing that follows from it", () => {
  it.each<[string, string, Changes]>([
    ["event_missing", "its event is gone", WITHOUT_EVENT],
    ["missing", "nobody has heard of it", { ...UNHEARD, confirmation: null }],
    ["not_paid", "Get Invoice says so", { ...WITHOUT_EVENT, verdict: "not_paid" }],
    ["not_paid", "... though it is listed", { ...UNHEARD, asked: "not_paid", verdict: "not_paid" }],
    ["quarantined", "it is held back", { ...WITHOUT_EVENT, verdict: "quarantined" }],
    ["recorded_only", "it was only to be recorded", { ...WITHOUT_EVENT, recordOnly: true }],
    ["dead", "it was given up", { ...UNHEARD, confirmation: "dead", verdict: "pending" }],
    ["dead", "it is dead, and dismissed", { ...UNHEARD, confirmation: "dead", dismissedBy: "ada" }],
    ["not_confirmed", "it is asked for now", { ...UNHEARD, confirmation: "claimed", verdict: null }],
    ["no_acceptance", "its event waits nowhere", { accepted: false }],
    ["held", "its event is held", { accepted: false, outboxState: "held" }],
    ["event_dead", "its event was given up", { accepted: false, outboxState: "dead" }],
    ["unpublished", "its event waits", UNSENT],
    ["unpublished", "... and its verdict says otherwise", { ...UNSENT, verdict: "not_paid" }],
    ["wrong_topic", "it was accepted elsewhere", ACCEPTED_ELSEWHERE],
    ["wrong_topic", "... as a Test invoice's", { ...ACCEPTED_ELSEWHERE, ...EVERYWHERE_TEST }],
    ["event_dead", "... and is dead on the right topic", { ...ACCEPTED_ELSEWHERE, outboxState: "dead" }],
    ["held", "... and is held on the right topic", { ...ACCEPTED_ELSEWHERE, outboxState: "held" }],
  ])("gap %s: %s", (reason, _, changes) => {
    expect(saidOf(changes)).toEqual([`gap ${reason}`]);
  });

  const before: Changes = { ...UNHEARD, confirmation: null };
  it.each<[string, Changes, Date | null]>([
    ["before_start", before, at("10T12:00:00.001")],
    ["before_start", before, null],
    ["before_start", { ...WITHOUT_EVENT, recordOnly: true }, null],
    ["missing", before, at("10T12:00:00")],
    ["missing", { ...before, listedPaidAt: null }, null],
    ["not_confirmed", { ...before, confirmation: "due" }, null],
  ])("gap %s, when it was paid before the first serve or not", (reason, changes, firstServedAt) => {
    expect(saidOf(changes, { firstServedAt })).toContain(`gap ${reason}`);
  });

  it.each<[string, Changes]>([
    ["invoice_missing", NOT_STORED],
    ["not_paid books_differ", { status: "Unpaid" }],
    ["not_at_provider", NOT_LISTED],
    ["not_at_provider", { ...NOT_LISTED, asked: "not_found" }],
    ["not_at_provider", { asked: "not_paid" }],
    ["status_unknown", { asked: "unknown" }],
    ["status_unknown event_without_payment", { ...NOT_STORED, asked: "unknown" }],
    ["status_unknown", { ...NOT_LISTED, asked: "unclear" }],
    ["status_unknown", { ...NOWHERE, ...WITHOUT_EVENT, asked: "unclear" }],
    ["event_without_payment", NOWHERE],
    ["event_without_payment", { ...NOWHERE, confirmation: "dead" }],
    ["event_without_payment", { ...NOWHERE, ...UNDATED }],
    ["event_without_payment verdict_differs", { ...NOWHERE, verdict: "quarantined" }],
    ["event_without_payment confirmation_missing", { ...NOWHERE, confirmation: null, verdict: null }],
    [
      "event_without_payment",
      { ...NOT_LISTED, status: "Unpaid", ...document({ status: "Unpaid" }), ...payload({ paidAt: null }) },
    ],
    ["dead", { ...NOWHERE, ...WITHOUT_EVENT, confirmation: "dead", openedAt: at("10T12:00:00") }],
    ["quarantined", { ...NOWHERE, ...WITHOUT_EVENT, verdict: "quarantined" }],
    ["confirmation_missing", { confirmation: null, verdict: null }],
    ["not_at_provider confirmation_missing", { ...NOT_LISTED, ...WITHOUT_EVENT, confirmation: null }],
    ["verdict_differs", { verdict: "not_paid" }],
    ["digest_missing", { digestMatches: null, digestDiffers: null }],
    ["payload_differs", { digestMatches: false, digestDiffers: true }],
    ["payload_differs", payload({ id: INVOICE })],
    ["payload_differs", payload({ subject: EVENT })],
    ["amount_differs books_differ payload_differs", { inPayload: null }],
    ["amount_differs", { amountsDiffer: true }],
    ["amount_differs", { listedAmount: "1500.51" }],
    ["amount_differs", { askedAmount: "1500.49" }],
    ["amount_differs", { listedAmount: "1500.50 NGN" }],
    ["amount_differs", { ...payload({ totalAmount: "1" }), ...eventAnswer({ totalAmount: "1" }) }],
    ["amount_differs books_differ", { listedAmount: null, amounts: { ...AMOUNTS, amount: "1" } }],
    ["amount_differs books_differ", { amounts: null }],
    ["amount_differs books_differ", payload({ amount: "1500.51" })],
    ["amount_differs books_differ", payload({ amount: null })],
    ["books_differ", { documentIsWhole: false }],
    ["books_differ", document({ amount: "1" })],
    ["books_differ", document({ serviceCharge: "1" })],
    ["books_differ", document({ vat: null })],
    ["books_differ", document({ totalAmount: "1" })],
    ["books_differ", document({ settleableAmount: "1" })],
    ["books_differ", document({ status: "Unpaid" })],
    ["books_differ", document({ status: null })],
    ["books_differ", document({ type: "Test" })],
    ["books_differ", { type: null }],
    ["books_differ", payload({ vat: "1" })],
    ["books_differ", eventAnswer({ vat: "1" })],
    ["books_differ", eventAnswer({ isWhole: false })],
    ["books_differ", eventAnswer({ type: "Test" })],
    ["books_differ", eventAnswer({ paymentDate: "2026-10-10T12:00:01Z" })],
    ["books_differ", { eventAnswers: [] }],
    ["books_differ", { eventAnswers: null, ...payload({ vat: "1" }) }],
    ["books_differ", payload({ paidAt: at("10T12:00:01").toISOString() })],
    ["books_differ", payload({ paidAt: null })],
    ["books_differ", { paidAt: null, askedPaidAt: at("10T12:00:00") }],
    ["books_differ", { eventType: "Test" }],
  ])("difference %s: %j", (reasons, changes) => {
    expect(saidOf(changes)).toEqual(reasons.split(" ").map((reason) => `difference ${reason}`));
  });

  it("may be of several weights", () => {
    const gap = ["gap event_missing", "difference confirmation_missing"];
    expect(saidOf({ ...WITHOUT_EVENT, confirmation: null })).toEqual(gap);
    const difference = ["difference not_at_provider", "note undated"];
    expect(saidOf({ ...NOT_LISTED, ...UNDATED })).toEqual(difference);
  });

  it.each<[string, Changes]>([
    ["callback_missing", { hasCallback: false }],
    ["undated", UNDATED],
    ["undated", { ...paidAt(new Date(0)), ...document(EPOCH), ...eventAnswer(EPOCH) }],
    ["future", { listedPaidAt: new Date("2026-11-02T00:00:00.001Z") }],
    ["counted_by_asking", { ...NOT_LISTED, asked: "paid" }],
    ["type_changed", EVERYWHERE_TEST],
    ["type_changed", { type: "Sandbox", ...document({ type: "Sandbox" }) }],
    ["type_changed", { type: null, ...document({ type: null }) }],
    ["type_changed", { type: "Test", ...document({ type: "Test" }), askedType: "Live" }],
    ["corrected", { ...payload({ vat: "1" }), ...eventAnswer({ vat: "1" }) }],
    ["corrected", { ...payload({ totalAmount: null }), ...eventAnswer({ totalAmount: null }) }],
    ["corrected", { ...payload({ paidAt: null }), ...eventAnswer({ paymentDate: null }) }],
    ["corrected", { asked: "paid", askedPaidAt: at("10T12:00:01") }],
  ])("note %s alone, which leaves all equal: %j", (reason, changes) => {
    expect(decided(changes)).toMatchObject({ paid: "1500.50", published: "1500.50" });
    expect(saidOf(changes)).toEqual([`note ${reason}`]);
  });

  const isTestNow: Changes = { type: "Test", askedType: "Test", ...document({ type: "Test" }) };
  it.each<[string, Changes]>([
    ["note type_changed", {}],
    ["difference wrong_topic", { eventType: "Test" }],
    ["difference wrong_topic", payload({ type: "Test" })],
    ["difference wrong_topic", EVERYWHERE_TEST],
    ["difference wrong_topic", { digestMatches: null }],
    ["note test", { accepted: false, acceptedElsewhere: ELSEWHERE }],
  ])("%s, of a Test invoice, and it counts as no payment: %j", (said, changes) => {
    expect(decided({ ...isTestNow, ...changes })).toMatchObject({ isLive: false });
    expect(saidOf({ ...isTestNow, ...changes })).toEqual([said]);
  });

  it("names invoice, event, day, amount and the reason", () => {
    expect(decided(UNSENT)?.differences).toEqual([
      {
        ...{ invoiceId: INVOICE, eventId: EVENT, reason: "unpublished", weight: "gap" },
        ...{ detail: expect.any(String), day: "2026-10-10", amount: "1500.50" },
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
    expect(decided(changes)?.differences.at(-1)).toMatchObject({ reason: "verdict_differs", amount });
  });
});

describe("nothing is said, and nothing counted", () => {
  const nothing = { ...NOWHERE, ...WITHOUT_EVENT };
  const unpaid = { ...NOT_LISTED, ...WITHOUT_EVENT, status: "Unpaid" };
  it.each<[string, Changes]>([
    ["of an invoice that nobody paid", { ...nothing, confirmation: "done", verdict: "not_paid" }],
    ["of one that is stored as unpaid", { ...unpaid, verdict: "not_paid" }],
    ["of one that a list hides", { ...UNHEARD, label: null, asked: "not_paid", verdict: "not_paid" }],
    ["... or calls unpaid", { ...UNHEARD, label: "Unpaid", asked: "not_paid", verdict: "not_paid" }],
    ["of a dead one that was dismissed", { ...nothing, confirmation: "dead", dismissedBy: "ada" }],
    ["of one in quarantine that the provider calls unpaid since", { ...unpaid, verdict: "quarantined" }],
  ])("%s", (_, changes) => {
    expect(decided(changes)).toBeNull();
  });
});

describe("a payment of a collection that is not ours", () => {
  const foreign: Changes = { ...NOT_LISTED, collectionName: "Other", accepted: false };
  const asked: Changes = { ...NOWHERE, ...WITHOUT_EVENT, askedCollection: "Other", asked: "paid" };
  const onDay = { askedPaidAt: at("10T12:00:00") };
  it.each<[Weight, string, Changes]>([
    ["difference", "1500.50", foreign],
    ["difference", "1500.50", { ...foreign, collectionName: null }],
    ["difference", "1500.50", { ...foreign, collectionName: "Term 1", askedCollection: "Other" }],
    ["difference", "3.00", { ...foreign, askedAmount: "3" }],
    ["difference", "0.00", { ...asked, ...onDay }],
    ["note", "1500.50", { ...foreign, dismissedBy: "ada" }],
    ["note", "1500.50", { ...foreign, accepted: true }],
  ])("is a %s of %s beside the sums: %j", (weight, amount, changes) => {
    expect(decided(changes)).toMatchObject({
      ...{ day: "2026-10-10", isLive: true, isForeign: true, paid: amount, stored: null, published: null },
      differences: [{ reason: "foreign", weight, day: "2026-10-10", amount }],
    });
  });

  it.each<Changes>([
    { ...asked, ...onDay, asked: "not_paid", eventId: EVENT },
    { ...asked, ...onDay, asked: "unknown" },
    { ...foreign, status: "Unpaid" },
    { ...foreign, type: "Test", ...document({ type: "Test" }) },
    { ...foreign, ...paidAt(at("01T00:00:00")), paidAt: new Date("2026-09-30T00:00:00Z"), createdAt: null },
    { ...foreign, ...paidAt(new Date("2026-11-01T00:00:00Z")) },
  ])("is nothing where it is no payment, or none of this period: %j", (changes) => {
    expect(decided(changes)).toBeNull();
  });

  it.each<[Changes, Partial<Terms>?]>([
    [{ askedCollection: "Term 1", asked: "paid" }],
    [{ listed: true }],
    [{}, { namesAreKnown: false }],
  ])("is ours as long as its list, newest name or a name unread may say so: %j, %j", (changes, terms) => {
    const ours = { isForeign: false, stored: MONEY.stored, published: MONEY.published };
    expect(decided({ ...foreign, accepted: true, ...changes }, terms)).toMatchObject(ours);
  });
});
