import { describe, expect, it } from "vitest";
import { judge } from "../../src/confirm/judge.ts";
import { alarmsOf, confirmation, EVEN, found, known, rules } from "./judging-fixture.ts";

describe("judging: a paid invoice of a type that is neither Live nor Test", () => {
  const typeless = found({ type: null });
  const paidKnown = known({ status: "Paid", type: null });

  it.each([["Sandbox"], [" "], [null]])("%j: has no event, stays on the ladder, and says so", (type) => {
    const outcome = judge(confirmation(), found({ type }), { ...rules, hasTestTopic: true }, EVEN);
    expect(outcome).toMatchObject({
      state: "due",
      attempt: 1,
      dueInMs: 2_000,
      verdict: "pending",
      event: null,
    });
    expect(outcome.invoice).toMatchObject({ status: "Paid", type, newest: true });
    const detail =
      `It is paid, and published nowhere: its type is ${type === null ? "missing" : `"${type}"`}, neither ` +
      "Live nor Test, so its topic cannot be told. Ask the provider to correct it";
    expect(outcome.lastError).toBe(detail);
    expect(outcome.raises).toEqual([{ name: "invoice_anomaly", detail: `${detail}.` }]);
  });

  it("is told once while it is asked again, and anew when it is asked for anew", () => {
    expect(alarmsOf(typeless, confirmation({ attempt: 1, known: paidKnown }))).toEqual([]);
    expect(alarmsOf(typeless, confirmation({ attempt: 3, known: known() }))).toHaveLength(1);
    expect(alarmsOf(typeless, confirmation({ requests: 2, known: paidKnown }))).toHaveLength(1);
  });

  it("is a dead letter at the end of the ladder", () => {
    const asked = confirmation({ attempt: 8, verdict: "pending", known: paidKnown });
    expect(judge(asked, typeless, rules, EVEN)).toMatchObject({
      state: "dead",
      verdict: "pending",
      raises: [{ name: "confirmation_dead" }],
    });
  });

  it("is settled by an answer that says, whatever its date", () => {
    const asked = confirmation({
      attempt: 1,
      verdict: "pending",
      known: { ...paidKnown, modifiedAt: new Date("2026-11-02T00:00:00Z") },
    });
    expect(judge(asked, found(), rules, EVEN)).toMatchObject({
      state: "done",
      verdict: "paid",
      event: { invoiceType: "Live" },
      invoice: { newest: true },
      raises: [],
      clears: ["provider_answer_outside_contract", "invoice_anomaly"],
    });
  });

  it.each([
    ["its event is out", confirmation({ hasEvent: true })],
    ["it is only recorded", confirmation({ recordOnly: true })],
  ])("is done, without another event, where %s", (_, asked) => {
    expect(judge(asked, typeless, rules, EVEN)).toMatchObject({
      state: "done",
      verdict: "paid",
      event: null,
    });
  });

  it("by an older answer does not take the place of one that said Live", () => {
    const asked = confirmation({
      attempt: 1,
      known: known({ status: "Paid", type: "Live", modifiedAt: new Date("2026-11-02T00:00:00Z") }),
    });
    expect(judge(asked, typeless, rules, EVEN)).toMatchObject({ event: null, invoice: { newest: false } });
  });

  it("is quarantined first where its collection is foreign; released, it waits for its type", () => {
    const foreign = { ...rules, collectionNames: new Set(["Other"]) };
    expect(judge(confirmation(), typeless, foreign, EVEN).verdict).toBe("quarantined");
    const released = confirmation({ released: true, verdict: "quarantined", known: paidKnown });
    expect(judge(released, typeless, foreign, EVEN)).toMatchObject({ state: "due", verdict: "pending" });
  });
});
