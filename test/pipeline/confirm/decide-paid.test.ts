import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/provider/provider.ts";
import { type Asked, decided, FOREIGN, found, known, notFound, outside, unpaid } from "./deciding-fixture.ts";

const LATER = new Date("2026-11-02T00:00:00Z");
const UNREAD = { ...FOREIGN, collectionsUnread: "HTTP 503" };
const TYPELESS = found({ type: null });
const typelessBefore = known({ status: "Paid", type: null });

describe("a paid invoice", () => {
  it("is done, paid, and has the one event of its invoice (G4)", () => {
    expect(decided({}, found())).toMatchObject({
      ...{ state: "done", verdict: "paid", priority: "known", attempt: 0 },
      event: { type: "invoice.paid", state: "due", invoiceType: "Live" },
    });
  });

  it.each(["paid", " PAID "])("is recognised without regard to case: %j", (status) => {
    expect(decided({}, found({ status })).verdict).toBe("paid");
  });

  it.each([
    ["Test", false, "held", "Test"],
    ["Test", true, "due", "Test"],
    [" test", false, "held", "Test"],
    ["LIVE", false, "due", "Live"],
  ])(
    "of type %j with a test topic: %j gives an event that is %s for the %s topic",
    (type, hasTestTopic, state, invoiceType) => {
      expect(decided({}, found({ type }), { hasTestTopic }).event).toMatchObject({ state, invoiceType });
    },
  );

  it.each(["Sandbox", " ", null])("of type %j has no event, and is stored as paid", (type) => {
    const outcome = decided({}, found({ type }), { hasTestTopic: true });
    const invoice = { status: "Paid", type, newest: true };
    expect(outcome).toMatchObject({ state: "due", verdict: "pending", event: null, invoice });
  });

  it("of no type is settled by an answer that says one, whatever its date", () => {
    const asked = {
      attempt: 1,
      verdict: "pending",
      known: { ...typelessBefore, modifiedAt: LATER },
    } as const;
    expect(decided(asked, found())).toMatchObject({
      ...{ state: "done", verdict: "paid", event: { invoiceType: "Live" }, invoice: { newest: true } },
    });
  });

  it("by an older answer does not take the place of one that said Live", () => {
    const asked = { attempt: 1, known: known({ status: "Paid", modifiedAt: LATER }) };
    expect(decided(asked, TYPELESS)).toMatchObject({ event: null, invoice: { newest: false } });
    expect(decided(asked, found()).invoice?.newest).toBe(false);
  });

  it.each<[string, Asked]>([
    ["its event is out", { hasEvent: true }],
    ["it is only recorded", { recordOnly: true }],
  ])("is done without another event where %s, of whatever type", (_, asked) => {
    const outcome = { state: "done", verdict: "paid", event: null };
    expect(decided(asked, TYPELESS)).toMatchObject(outcome);
  });
});

describe("whose collection it is", () => {
  it.each<[string, Asked, Answer, object, string | null]>([
    ["a foreign one", {}, found(), FOREIGN, "quarantined"],
    ["none", {}, found({ collectionName: null }), FOREIGN, "quarantined"],
    ["a foreign one, of no type", {}, TYPELESS, FOREIGN, "quarantined"],
    ["a foreign one, released", { released: true }, found(), FOREIGN, "paid"],
    ["a foreign one, released, of no type", { released: true }, TYPELESS, FOREIGN, "pending"],
    ["a foreign one, published before", { hasEvent: true }, found(), FOREIGN, "paid"],
    ["one of ours", {}, found({ collectionName: "Other" }), FOREIGN, "paid"],
    ["one that may be ours, unread", {}, found(), UNREAD, null],
    ["one of ours, another unread", {}, found({ collectionName: "Other" }), UNREAD, "paid"],
    ["none, one of ours unread", {}, found({ collectionName: null }), UNREAD, "quarantined"],
    ["a foreign one, of an unpaid invoice", {}, unpaid(), FOREIGN, "pending"],
    ["one that may be ours, of an unpaid invoice", {}, unpaid(), UNREAD, "pending"],
  ])("decides: %s", (_, asked, answer, given, verdict) => {
    const outcome = decided(asked, answer, given);
    expect(outcome.verdict).toBe(verdict);
    expect(outcome.event !== null).toBe(verdict === "paid");
  });

  it("while it is unknown, nothing is stored, and it is asked for again as after a fault", () => {
    const outcome = decided({}, found(), UNREAD);
    const nothing = { covered: false, invoice: null, event: null };
    expect(outcome).toMatchObject({ state: "due", attempt: 0, faults: 1, ...nothing });
  });
});

describe("paid stays paid, whatever says so (G6)", () => {
  const OTHERS = [unpaid(), unpaid({ status: "Invalidated" }), unpaid({ status: "OnHold" }), notFound];

  it.each<[string, Asked]>([
    ["its verdict", { verdict: "paid" }],
    ["its event", { hasEvent: true }],
    ["the stored answer", { known: known({ status: "PAID" }) }],
  ])("%s", (_, asked) => {
    for (const answer of OTHERS)
      expect(decided(asked, answer)).toMatchObject({ state: "done", verdict: "paid", event: null });
    expect(decided(asked, outside)).toMatchObject({ state: "due", verdict: asked.verdict ?? null });
  });

  it("in quarantine it stays there, unless it has an event", () => {
    const asked = { verdict: "quarantined", known: known({ status: "Paid" }) } as const;
    expect(decided(asked, unpaid())).toMatchObject({ state: "done", verdict: "quarantined" });
    expect(decided({ ...asked, hasEvent: true }, unpaid()).verdict).toBe("paid");
  });

  it("of a type that is no longer said, it is asked for again, and to the end of the schedule", () => {
    expect(decided({ verdict: "paid" }, TYPELESS)).toMatchObject({ state: "due", verdict: "paid" });
    const end = decided({ verdict: "paid", attempt: 8 }, TYPELESS);
    expect(end).toMatchObject({ state: "dead", verdict: "paid" });
  });

  it("while it waits for its type nothing is published: a person has to see it", () => {
    const asked = { verdict: "pending", attempt: 2, known: typelessBefore } as const;
    for (const answer of OTHERS)
      expect(decided(asked, answer)).toMatchObject({ state: "dead", verdict: "pending", event: null });
    expect(decided({ ...asked, hasEvent: true }, unpaid()).verdict).toBe("paid");
  });
});
