import { describe, expect, it } from "vitest";
import {
  decideOpening,
  isDatedElsewhere,
  type ListedFacts,
  type Opening,
  type SweepTerms,
} from "../../../src/pipeline/reconcile/sweep/decide-opening.ts";
import type { KnownPayment } from "../../../src/pipeline/reconcile/sweep/known-payments.ts";

const at = (day: string) => new Date(`2026-10-${day}T12:00:00Z`);

const listed = (changes: Partial<ListedFacts> = {}): ListedFacts => ({
  ...{ paidAt: at("10"), createdAt: at("02"), paidUntil: null, saysPaid: true, digest: "now" },
  ...changes,
});

/** Nobody has heard of it. */
const unheard = (changes: Partial<KnownPayment> = {}): KnownPayment => ({
  ...{ invoiceId: "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b", event: "none", outboxState: null, stored: false },
  ...{ isPaid: false, askedDigest: null, paidAt: null, createdAt: null, confirmation: null },
  ...changes,
});

type Confirmation = NonNullable<KnownPayment["confirmation"]>;
const confirmation = (changes: Partial<Confirmation> = {}): { confirmation: Confirmation } => ({
  confirmation: {
    ...{ state: "done", verdict: "paid", openedBy: "callback", recordOnly: false, lastError: null },
    ...{ soon: false, ...changes },
  },
});

/** All up to now, of a source first served on the fifth. */
const TERMS: SweepTerms = {
  ...{ from: at("01"), to: null, firstServedAt: at("05"), publishEarlier: false, seenBefore: false },
  ...{ asksAgain: false, now: new Date("2026-11-01T12:00:00Z") },
};

const decided = (
  known: Partial<KnownPayment>,
  payment: Partial<ListedFacts> = {},
  terms: Partial<SweepTerms> = {},
): Opening => decideOpening(listed(payment), unheard(known), { ...TERMS, ...terms });

describe("a payment of the list that has no event", () => {
  it.each<[Opening, string, Partial<KnownPayment>]>([
    ["open", "nobody has heard of it", {}],
    ["waiting", "it is a dead letter", confirmation({ state: "dead", verdict: "pending" })],
    ["waiting", "it is asked about soon", confirmation({ state: "due", verdict: "pending", soon: true })],
    ["waiting", "it is being asked about", confirmation({ state: "claimed", verdict: null, soon: true })],
    ["open", "it waits far up the retry schedule", confirmation({ state: "due", verdict: "pending" })],
    ["open", "it was to be recorded only", confirmation({ state: "due", recordOnly: true, soon: true })],
    ["waiting", "it is in quarantine", confirmation({ verdict: "quarantined" })],
    ["open", "Get Invoice said unpaid", confirmation({ verdict: "not_paid" })],
    ["open", "it is paid, and its event is gone", confirmation({ verdict: "paid" })],
  ])("is %s when %s", (opening, _, known) => {
    expect(decided(known)).toBe(opening);
  });

  it.each<[Opening, string, Partial<KnownPayment>]>([
    ["open_to_record", "nobody has heard of it", {}],
    ["recorded", "it is recorded already", confirmation({ verdict: "paid" })],
    ["open_to_record", "Get Invoice said unpaid", confirmation({ verdict: "not_paid" })],
    [
      "open_to_record",
      "it waits far up the retry schedule",
      confirmation({ state: "due", verdict: "pending" }),
    ],
    ["waiting", "it is asked about soon", confirmation({ state: "due", recordOnly: true, soon: true })],
  ])("and was paid before the first serve is %s when %s", (opening, _, known) => {
    expect(decided(known, { paidAt: at("04") })).toBe(opening);
  });
});

describe("what the provider was asked about", () => {
  const answered = (verdict: Confirmation["verdict"]) => ({
    askedDigest: "now",
    ...confirmation({ verdict }),
  });
  it.each(["not_paid", "invalidated", "unknown_invoice"] as const)(
    "and is %s, is asked about again only when its item changed, or a person asks for it",
    (verdict) => {
      expect(decided(answered(verdict))).toBe("answered");
      expect(decided(answered(verdict), { digest: "changed" })).toBe("open");
      expect(decided(answered(verdict), {}, { asksAgain: true })).toBe("open");
    },
  );

  it("waits for its retry schedule, and as a dead letter for a person, until its item changed", () => {
    for (const state of ["due", "dead"] as const) {
      const waiting = { askedDigest: "now", ...confirmation({ state, verdict: "pending" }) };
      expect(decided(waiting)).toBe("waiting");
      expect(decided(waiting, { digest: "changed" })).toBe("open");
    }
  });

  it("and is paid, is asked about once more when the list calls it something else", () => {
    const paid = { event: "published", stored: true, isPaid: true, ...confirmation() } as const;
    const settled = { saysPaid: false, digest: "settled" };
    expect(decided(paid, settled)).toBe("ask_again");
    expect(decided({ ...paid, askedDigest: "settled" }, settled)).toBe("complete");
  });

  it("is published although the provider's clock is hours behind, once an earlier sweep saw the rest", () => {
    const since = { paidAt: new Date(at("05").getTime() - 3 * 3_600_000) };
    expect(decided({}, since)).toBe("open_to_record");
    expect(decided({}, since, { seenBefore: true })).toBe("open");
    expect(decided(confirmation({ state: "due" }), since, { seenBefore: true })).toBe("open_to_record");
  });
});

describe("whether it is published", () => {
  it.each<[Opening, string, Partial<ListedFacts>, Partial<SweepTerms>]>([
    ["open", "it was paid when the source was first served", { paidAt: at("05") }, {}],
    ["open_to_record", "it was paid before", { paidAt: at("04") }, {}],
    ["open", "what was paid before is to be published too", { paidAt: at("04") }, { publishEarlier: true }],
    ["open_to_record", "the source was never served", {}, { firstServedAt: null }],
    ["open", "... and all is to be published", {}, { firstServedAt: null, publishEarlier: true }],
    ["open", "it is undated, and was created since", { paidAt: null, createdAt: at("06") }, {}],
    ["open_to_record", "it is undated, and was created before", { paidAt: null, createdAt: at("04") }, {}],
    ["open_to_record", "nothing dates it", { paidAt: null, createdAt: null }, {}],
  ])("%s: %s", (opening, _, payment, terms) => {
    expect(decided({}, payment, terms)).toBe(opening);
  });

  it("goes by the confirmed answer's date where the list has none", () => {
    expect(decided({ paidAt: at("06") }, { paidAt: null, createdAt: at("04") })).toBe("open");
    expect(decided({ paidAt: at("04") }, { paidAt: null, createdAt: at("05") })).toBe("open_to_record");
    expect(decided({ paidAt: at("04") }, { paidAt: at("06") })).toBe("open_to_record");
    expect(decided({ paidAt: at("06") }, { paidAt: at("04") })).toBe("open");
  });
});

describe("the window of a sweep", () => {
  const window = { from: at("09"), to: at("11") };
  it.each<[boolean, string, Date | null, Partial<ListedFacts>]>([
    [true, "paid at its beginning", at("09"), {}],
    [false, "paid before it", at("08"), {}],
    [false, "paid at its end", at("11"), {}],
    [true, "undated, created before", null, { createdAt: at("08") }],
    [false, "undated, created at its end", null, { createdAt: at("11") }],
    [true, "undated, created in the future", null, { createdAt: new Date("2027-01-01T00:00:00Z") }],
    [true, "absurdly dated", new Date("1975-01-01T00:00:00Z"), {}],
    [true, "paid before it was created, which is no date", at("04"), { createdAt: at("10") }],
    [true, "nothing dates it", null, { createdAt: null }],
  ])("holds it, %s, by its answer: %s", (isHeld, _, paidAt, payment) => {
    expect(decided({ paidAt }, payment, window) !== "elsewhere").toBe(isHeld);
  });

  it.each<[boolean, string, Partial<ListedFacts>]>([
    [false, "within it", { paidAt: at("09") }],
    [true, "before it", { paidAt: at("08") }],
    [true, "at its end", { paidAt: at("11") }],
    [false, "on a day that reaches into it", { paidAt: at("08"), paidUntil: at("09") }],
    [false, "before it was created, which is no date", { paidAt: at("02"), createdAt: at("08") }],
    [false, "in the future, which is no date", { paidAt: new Date("2199-01-01T00:00:00Z") }],
    [false, "by no answer and no list", { paidAt: null }],
  ])("counts it elsewhere, %s, where only the list dates it: %s", (isElsewhere, _, payment) => {
    const terms = { ...TERMS, ...window };
    expect(isDatedElsewhere(listed(payment), unheard(), terms)).toBe(isElsewhere);
    expect(isDatedElsewhere(listed(payment), unheard({ paidAt: at("10") }), terms)).toBe(false);
  });

  it("has what the list dates elsewhere asked about, and publishes only what it covers", () => {
    const terms = { ...window, publishEarlier: true, firstServedAt: at("20") };
    expect(decided({}, { paidAt: at("10") }, terms)).toBe("open");
    expect(decided({}, { paidAt: at("07") }, terms)).toBe("open_to_record");
  });
});

describe("a payment of the list that has its event", () => {
  const complete = { stored: true, isPaid: true };
  it.each<[Opening, string, Partial<KnownPayment>]>([
    ["complete", "the books say so", confirmation()],
    ["complete", "it was in quarantine before", confirmation({ verdict: "quarantined" })],
    ["complete", "it is asked about again", confirmation({ state: "due", verdict: "pending" })],
    ["open", "its verdict says otherwise", confirmation({ verdict: "not_paid" })],
    ["open", "it has no verdict", confirmation({ verdict: null })],
    ["open", "its confirmation is gone", { confirmation: null }],
    ["open", "its invoice is gone", { stored: false, ...confirmation() }],
  ])("is %s when %s, whether the event waits or is published", (opening, _, known) => {
    for (const event of ["waiting", "published"] as const)
      expect(decided({ event, ...complete, ...known })).toBe(opening);
  });

  it("is queued again when the event is lost", () => {
    expect(decided({ event: "lost", stored: true, ...confirmation() })).toBe("requeue");
  });
});
