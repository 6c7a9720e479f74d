import { describe, expect, it } from "vitest";
import { makeInvoiceRow } from "../../src/confirm/invoices/confirmed-invoice.ts";
import { dependsOnCollection, judge } from "../../src/confirm/judge.ts";
import type { Answer } from "../../src/provider/provider.ts";
import { confirmation, EVEN, found, known, rules, unpaid } from "./judging-fixture.ts";

type Asked = Parameters<typeof confirmation>[0];

const judged = (asked: Asked, answer: Answer, given = rules) =>
  judge(confirmation(asked), answer, given, EVEN);

const notFound: Answer = { kind: "not_found", inOwnWords: true, error: "no such id" };
const outside: Answer = { kind: "outside_contract", error: "no amount", evidence: "{}" };
const fault: Answer = { kind: "fault", error: "timeout" };
const EVIDENCE = "provider_answer_outside_contract";
const DECIDED = ["confirmation_dead", "invoice_quarantined"];

describe("the alarms that an outcome ends (G13)", () => {
  const again = { requests: 2 };
  const paid = { ...again, verdict: "paid", known: known({ status: "Paid" }) } as const;
  it.each<[string, Asked, Answer, string[]]>([
    ["asked for the first time: none can be open", {}, found(), []],
    ["paid", again, found(), [EVIDENCE, ...DECIDED, "invoice_anomaly"]],
    ["paid still", paid, found(), [EVIDENCE, ...DECIDED, "invoice_anomaly"]],
    ["no longer paid: that is odd", paid, unpaid(), [EVIDENCE, ...DECIDED]],
    ["no longer there: that is odd", paid, notFound, [EVIDENCE, ...DECIDED]],
    [
      "no longer paid, which was told: it is odd still",
      { ...paid, known: known({ status: "Refunded" }) },
      unpaid({ status: "Refunded" }),
      [EVIDENCE, ...DECIDED],
    ],
    ["not paid in the end", { ...again, attempt: 8 }, unpaid(), [EVIDENCE, ...DECIDED, "invoice_anomaly"]],
    ["unknown in the end", { ...again, attempt: 5 }, notFound, [EVIDENCE, ...DECIDED]],
    ["paid, and odd", again, found({ totalAmount: 1 }), [EVIDENCE, ...DECIDED]],
    ["paid, of no type", again, found({ type: null }), [EVIDENCE]],
    ["odd on an earlier step of the ladder", { attempt: 1 }, found(), [EVIDENCE, "invoice_anomaly"]],
    ["a fault before it", { faults: 1 }, found(), [EVIDENCE, "invoice_anomaly"]],
    ["unpaid as yet", again, unpaid(), [EVIDENCE]],
    ["unpaid on a later step of the ladder", { attempt: 1 }, unpaid(), [EVIDENCE]],
    ["not found as yet", again, notFound, []],
    ["a fault again", { ...again, attempt: 1 }, fault, []],
    ["outside the contract once more", { ...again, attempt: 1 }, outside, []],
    ["unknown in the end, asked by one callback", { attempt: 5 }, notFound, [EVIDENCE]],
  ])("%s", (_, asked, answer, ended) => {
    expect(judged(asked, answer).clears).toEqual(ended);
  });

  it("in quarantine, that alarm stays", () => {
    const given = { ...rules, collectionNames: new Set(["Other"]) };
    const outcome = judged(again, found(), given);
    expect(outcome.clears).toEqual([EVIDENCE, "confirmation_dead", "invoice_anomaly"]);
    const detail = 'It is paid, but its collection "Term 1" is not in COLLECTION_IDS.';
    expect(outcome).toMatchObject({ verdict: "quarantined", event: null, lastError: detail });
    expect(outcome.raises).toEqual([{ name: "invoice_quarantined", detail }]);
    const nameless = { ...rules, collectionNames: new Set([""]) };
    for (const names of [given, nameless])
      expect(judged(again, found({ collectionName: null }), names).verdict).toBe("quarantined");
  });
});

describe("the alarms that an outcome raises", () => {
  it("none, where nothing is odd", () => {
    for (const answer of [found(), unpaid(), notFound]) expect(judged({}, answer).raises).toEqual([]);
  });

  it("one whose event is out, and whose type is another now, is odd", () => {
    const asked = { hasEvent: true, known: known({ status: "Paid", type: "Test" }) };
    expect(judged(asked, found()).raises).toMatchObject([
      { name: "invoice_anomaly", detail: expect.stringContaining("Its type changed after payment") },
    ]);
    expect(judged({ ...asked, hasEvent: false }, found()).raises).toEqual([]);
  });

  it("a dead letter says why", () => {
    expect(judged({ attempt: 8 }, outside).raises).toEqual([
      { name: "confirmation_dead", detail: "Given up after 8 answers: no amount." },
    ]);
    expect(judged({ attempt: 8 }, unpaid({ status: "OnHold" })).lastError).toBe(
      'The provider says the status is "OnHold", which is neither in PAID_STATUSES nor in INVALID_STATUSES',
    );
  });

  it("an answer outside the contract is told the first time only", () => {
    expect(judged({}, outside).raises).toEqual([{ name: EVIDENCE, detail: "no amount" }]);
    expect(judged({ attempt: 1 }, outside).raises).toEqual([]);
  });

  it.each<[string, Answer, boolean]>([
    ["a fault", fault, true],
    ["a rate limit", { kind: "rate_limited", error: "429", retryAfterMs: null }, true],
    ["a refused key", { kind: "key_refused", error: "401" }, true],
    ["not found as yet", notFound, true],
    ["a process that stops", { kind: "interrupted" }, true],
    ["unpaid as yet", unpaid(), false],
    ["paid", found(), false],
  ])("the evidence of an earlier one stays until the provider gives a better: %s", (_, answer, keeps) => {
    expect(judged({ attempt: 1 }, answer)).toMatchObject({ lastAnswer: null, keepsEvidence: keeps });
    expect(judged({ attempt: 5 }, notFound).keepsEvidence).toBe(false);
  });

  it("an erased invoice keeps no evidence", () => {
    expect(judged({}, outside).lastAnswer).toBe("{}");
    expect(judged({ erased: true }, outside).lastAnswer).toBeNull();
  });
});

describe("paid stays paid, whatever says so (G6)", () => {
  it.each<[string, Asked]>([
    ["its verdict", { verdict: "paid" }],
    ["its event", { hasEvent: true }],
    ["the stored answer", { known: known({ status: "PAID" }) }],
  ])("%s", (_, asked) => {
    for (const answer of [
      unpaid(),
      unpaid({ status: "Invalidated" }),
      unpaid({ status: "OnHold" }),
      notFound,
    ])
      expect(judged(asked, answer)).toMatchObject({ state: "done", verdict: "paid", event: null });
    expect(judged(asked, notFound).raises).toEqual([
      {
        name: "invoice_anomaly",
        detail:
          "It was Paid and the provider now says that it does not exist. It stays paid here; ask the provider why.",
      },
    ]);
    expect(judged(asked, outside)).toMatchObject({ state: "due", verdict: asked?.verdict ?? null });
  });

  it("in quarantine it stays there, unless it has an event", () => {
    const asked = { verdict: "quarantined", known: known({ status: "Paid" }) } as const;
    expect(judged(asked, unpaid())).toMatchObject({ state: "done", verdict: "quarantined" });
    expect(judged({ ...asked, hasEvent: true }, unpaid()).verdict).toBe("paid");
  });

  it("of a type that is no longer said, it is asked for again, and to the end of the ladder", () => {
    const typeless = found({ type: null });
    expect(judged({ verdict: "paid" }, typeless)).toMatchObject({ state: "due", verdict: "paid" });
    expect(judged({ verdict: "paid", attempt: 8 }, typeless)).toMatchObject({
      state: "dead",
      verdict: "paid",
    });
  });

  it("while it waits for its type nothing is published: a person has to see it", () => {
    const asked = { verdict: "pending", attempt: 2, known: known({ status: "Paid", type: null }) } as const;
    for (const answer of [unpaid(), unpaid({ status: "Invalidated" }), notFound]) {
      const outcome = judged(asked, answer);
      const lastError = "It was paid, of no clear type, and no longer is: nothing is published";
      expect(outcome).toMatchObject({ state: "dead", verdict: "pending", event: null, lastError });
      expect(outcome.raises.map(({ name }) => name)).toEqual(["invoice_anomaly", "confirmation_dead"]);
    }
    expect(judged({ ...asked, hasEvent: true }, unpaid()).verdict).toBe("paid");
  });

  it("an older answer is decided by what is known", () => {
    const later = new Date("2026-11-02T00:00:00Z");
    const asked = { known: known({ status: "Invalidated", modifiedAt: later }) };
    expect(judged(asked, unpaid())).toMatchObject({ verdict: "invalidated", invoice: { newest: false } });
  });
});

it("its collection decides only about a payment that is neither published nor released", () => {
  const depends = (asked: Asked, answer: Answer) => dependsOnCollection(confirmation(asked), answer, rules);
  expect(depends({}, found())).toBe(true);
  for (const asked of [{ hasEvent: true }, { released: true }]) expect(depends(asked, found())).toBe(false);
  for (const answer of [unpaid(), notFound, fault]) expect(depends({}, answer)).toBe(false);
});

it("back-off doubles from one second", () => {
  const waits = [0, 1, 2].map((faults) => judge(confirmation({ faults }), fault, rules, 1).dueInMs);
  expect(waits).toEqual([1_000, 2_000, 4_000]);
});

describe("the row of a confirmed invoice", () => {
  const rowOf = (asked: Asked, changes: Record<string, unknown> = {}) =>
    makeInvoiceRow(confirmation(asked), found(changes) as Extract<Answer, { kind: "found" }>, "UTC", {
      paidFirst: false,
    });
  const modifiedAt = new Date("2026-11-01T09:00:00Z");
  const ahead = (ms: number) => new Date(Date.parse("2026-11-03T10:00:00Z") + ms);

  it.each<[string, Asked, Record<string, unknown>, boolean]>([
    ["nothing is known", {}, {}, true],
    ["it is dated later", { known: known({ modifiedAt: new Date(modifiedAt.getTime() - 1) }) }, {}, true],
    ["it is dated alike: the GET begun later counts", { known: known({ modifiedAt }) }, {}, true],
    ["it is dated earlier", { known: known({ modifiedAt: new Date(modifiedAt.getTime() + 1) }) }, {}, false],
    ["it is undated", { known: known({ modifiedAt }) }, { dateModified: null }, true],
    ["what is known is undated", { known: known({ modifiedAt: null }) }, {}, true],
    ["what is known is dated two days ahead", { known: known({ modifiedAt: ahead(0) }) }, {}, false],
    ["what is known has a date that is yet to come", { known: known({ modifiedAt: ahead(1) }) }, {}, true],
  ])("is the newest or not when %s (G6)", (_, asked, changes, newest) => {
    const { row, isOld } = rowOf(asked, changes);
    expect([row.newest, isOld]).toEqual([newest, !newest]);
  });

  it("differs only where the document does", () => {
    const { digest } = rowOf({}).row;
    expect(digest).toMatch(/^[\w-]{43}$/);
    expect(rowOf({ known: known({ digest }) }).row.differs).toBe(false);
    expect(rowOf({ known: known({ digest }) }, { title: "Another" }).row.differs).toBe(true);
  });

  it.each([
    [null, null],
    ["https://relay.example.com/callbacks/token", null],
    ["https://relay.example.com/callbacks/token/order%2042?x=1", "order 42"],
    ["https://relay.example.com/Callbacks/token/%E0%A4/a%20b%01", "%E0%A4/a b\uFFFD"],
  ])("reads the reference from %j", (url, reference) => {
    expect(rowOf({}, { callBackUrl: url }).row.reference).toBe(reference);
  });
});
