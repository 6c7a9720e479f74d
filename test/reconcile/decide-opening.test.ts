import { describe, expect, it } from "vitest";
import type { ListedPayment } from "../../src/reconcile/list/listed-payment.ts";
import { decideOpening, type Opening, type SweepTerms } from "../../src/reconcile/sweep/decide-opening.ts";
import type { KnownPayment } from "../../src/reconcile/sweep/known-payments.ts";

const at = (day: string) => new Date(`2026-10-${day}T12:00:00Z`);

const listed = (changes: Partial<ListedPayment> = {}): ListedPayment => ({
  invoiceId: "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b",
  paidAt: at("10"),
  createdAt: at("08"),
  amount: "10.00",
  status: "Paid",
  asked: null,
  ...changes,
});

/** Nobody has heard of it. */
const unheard = (changes: Partial<KnownPayment> = {}): KnownPayment => ({
  invoiceId: "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b",
  event: "none",
  outboxState: null,
  stored: false,
  paidAt: null,
  confirmation: null,
  ...changes,
});

type Confirmation = NonNullable<KnownPayment["confirmation"]>;
const confirmation = (changes: Partial<Confirmation> = {}): { confirmation: Confirmation } => ({
  confirmation: {
    state: "done",
    verdict: "paid",
    openedBy: "callback",
    recordOnly: false,
    lastError: null,
    soon: false,
    ...changes,
  },
});

/** All up to now, of a source first served on the fifth. */
const TERMS: SweepTerms = { from: at("01"), to: null, firstServedAt: at("05"), publishEarlier: false };

const decided = (
  known: Partial<KnownPayment>,
  payment: Partial<ListedPayment> = {},
  terms: Partial<SweepTerms> = {},
): Opening => decideOpening(listed(payment), unheard(known), { ...TERMS, ...terms });

describe("a payment of the list that has no event", () => {
  it.each<[Opening, string, Partial<KnownPayment>]>([
    ["open", "nobody has heard of it", {}],
    ["waiting", "it is a dead letter", confirmation({ state: "dead", verdict: "pending" })],
    ["waiting", "it is asked about soon", confirmation({ state: "due", verdict: "pending", soon: true })],
    ["waiting", "it is being asked about", confirmation({ state: "claimed", verdict: null, soon: true })],
    ["open", "it waits far up the ladder", confirmation({ state: "due", verdict: "pending" })],
    ["open", "it was to be recorded only", confirmation({ state: "due", recordOnly: true, soon: true })],
    ["waiting", "it is in quarantine", confirmation({ verdict: "quarantined" })],
    ["open", "Get Invoice said unpaid", confirmation({ verdict: "not_paid" })],
    ["open", "Get Invoice said invalid", confirmation({ verdict: "invalidated" })],
    ["open", "it is paid, and its event is gone", confirmation({ verdict: "paid" })],
  ])("is %s when %s", (opening, _, known) => {
    expect(decided(known)).toBe(opening);
  });

  it.each<[Opening, string, Partial<KnownPayment>]>([
    ["open_to_record", "nobody has heard of it", {}],
    ["recorded", "it is recorded already", confirmation({ verdict: "paid" })],
    ["open_to_record", "Get Invoice said unpaid", confirmation({ verdict: "not_paid" })],
    ["open_to_record", "it waits far up the ladder", confirmation({ state: "due", verdict: "pending" })],
    ["waiting", "it is asked about soon", confirmation({ state: "due", recordOnly: true, soon: true })],
    ["waiting", "it is a dead letter", confirmation({ state: "dead" })],
  ])("and was paid before the first serve is %s when %s", (opening, _, known) => {
    expect(decided(known, { paidAt: at("04") })).toBe(opening);
  });
});

describe("whether it is published", () => {
  it.each<[Opening, string, Partial<ListedPayment>, Partial<SweepTerms>]>([
    ["open", "it was paid when the source was first served", { paidAt: at("05") }, {}],
    ["open_to_record", "it was paid before", { paidAt: at("04") }, {}],
    ["open", "what was paid before is to be published too", { paidAt: at("04") }, { publishEarlier: true }],
    ["open_to_record", "the source was never served", {}, { firstServedAt: null }],
    ["open", "... and all is to be published", {}, { firstServedAt: null, publishEarlier: true }],
    ["open", "it is undated, and was created since", { paidAt: null }, {}],
    ["open_to_record", "it is undated, and was created before", { paidAt: null, createdAt: at("04") }, {}],
    ["open_to_record", "nothing dates it", { paidAt: null, createdAt: null }, {}],
  ])("%s: %s", (opening, _, payment, terms) => {
    expect(decided({}, payment, terms)).toBe(opening);
  });

  it("goes by the confirmed answer's date where the list has none", () => {
    expect(decided({ paidAt: at("06") }, { paidAt: null, createdAt: at("04") })).toBe("open");
    expect(decided({ paidAt: at("04") }, { paidAt: null, createdAt: at("06") })).toBe("open_to_record");
    expect(decided({ paidAt: at("04") }, { paidAt: at("06") })).toBe("open");
  });
});

describe("the window of a sweep", () => {
  const window = { from: at("09"), to: at("11") };
  it.each<[boolean, string, Partial<ListedPayment>]>([
    [true, "paid at its beginning", { paidAt: at("09") }],
    [false, "paid before it", { paidAt: at("08") }],
    [false, "paid at its end", { paidAt: at("11") }],
    [true, "undated, created before", { paidAt: null, createdAt: at("08") }],
    [false, "undated, created at its end", { paidAt: null, createdAt: at("11") }],
    [true, "nothing dates it", { paidAt: null, createdAt: null }],
  ])("holds it, %s: %s", (isHeld, _, payment) => {
    expect(decided({}, payment, window) !== "elsewhere").toBe(isHeld);
  });

  it("without an end holds all that came since", () => {
    expect(decided({}, { paidAt: at("30") })).toBe("open");
    expect(decided({}, { paidAt: at("30") }, { to: at("31") })).toBe("open");
  });
});

describe("a payment of the list that has its event", () => {
  it("is queued again when the event is lost", () => {
    expect(decided({ event: "lost", stored: true, ...confirmation() })).toBe("requeue");
  });

  it.each(["waiting", "published"] as const)("and is %s, is complete as far as the books say so", (event) => {
    const complete = { event, stored: true };
    expect(decided({ ...complete, ...confirmation() })).toBe("complete");
    expect(decided({ ...complete, ...confirmation({ verdict: "quarantined" }) })).toBe("complete");
    expect(decided({ ...complete, ...confirmation({ state: "due", verdict: "pending" }) })).toBe("complete");
    expect(decided({ ...complete, ...confirmation({ verdict: "not_paid" }) })).toBe("open");
    expect(decided({ ...complete, ...confirmation({ verdict: null }) })).toBe("open");
    expect(decided({ ...complete, confirmation: null })).toBe("open");
    expect(decided({ event, stored: false, ...confirmation() })).toBe("open");
  });
});
