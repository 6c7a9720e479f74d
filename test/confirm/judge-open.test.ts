import { describe, expect, it } from "vitest";
import { judge } from "../../src/confirm/judge.ts";
import type { Answer } from "../../src/provider/provider.ts";
import { confirmation, EVEN, HOUR, known, MINUTE, rules, SECOND, unpaid } from "./judging-fixture.ts";

describe("judging: not paid (yet)", () => {
  it.each([
    [0, 2 * SECOND],
    [1, 10 * SECOND],
    [2, 30 * SECOND],
    [3, 2 * MINUTE],
    [4, 10 * MINUTE],
    [5, HOUR],
    [6, 6 * HOUR],
    [7, 24 * HOUR],
  ])("Unpaid with %i steps spent is asked again after %i ms", (attempt, dueInMs) => {
    expect(judge(confirmation({ attempt }), unpaid(), rules, EVEN)).toMatchObject({
      state: "due",
      verdict: "pending",
      dueInMs,
      attempt: attempt + 1,
    });
  });

  it("Unpaid at the end of the ladder is not_paid", () => {
    expect(judge(confirmation({ attempt: 8 }), unpaid(), rules, EVEN)).toMatchObject({
      state: "done",
      verdict: "not_paid",
      event: null,
    });
  });

  it("jitter moves a step by a tenth at most", () => {
    const waits = [0, 1].map((dice) => judge(confirmation(), unpaid(), rules, dice).dueInMs);
    expect(waits).toEqual([1_800, 2_200]);
  });

  it.each(["Invalidated", "invalid", "EXPIRED"])("%s is done", (status) => {
    expect(judge(confirmation(), unpaid({ status }), rules, EVEN)).toMatchObject({
      state: "done",
      verdict: "invalidated",
      event: null,
    });
  });

  it("a status that nobody knows is kept, asked on the ladder, then dead with its name", () => {
    const first = judge(confirmation(), unpaid({ status: "OnHold" }), rules, EVEN);
    expect(first).toMatchObject({
      state: "due",
      dueInMs: 2 * SECOND,
      invoice: { status: "OnHold" },
      lastError: expect.stringContaining("OnHold"),
      raises: [{ name: "invoice_anomaly", detail: expect.stringContaining('"OnHold"') }],
    });
    const last = judge(
      confirmation({ attempt: 8, known: known({ status: "OnHold" }) }),
      unpaid({ status: "OnHold" }),
      rules,
      EVEN,
    );
    expect(last).toMatchObject({ state: "dead", lastError: expect.stringContaining("OnHold") });
    expect(last.raises).toMatchObject([{ name: "confirmation_dead" }]);
  });

  it("not found is asked on the ladder up to ten minutes, then unknown_invoice", () => {
    expect(
      judge(
        confirmation({ attempt: 4 }),
        { kind: "not_found", inOwnWords: true, error: "no such id" },
        rules,
        EVEN,
      ),
    ).toMatchObject({
      state: "due",
      dueInMs: 10 * MINUTE,
      priority: "unknown",
    });
    expect(
      judge(
        confirmation({ attempt: 5 }),
        { kind: "not_found", inOwnWords: true, error: "no such id" },
        rules,
        EVEN,
      ),
    ).toMatchObject({
      state: "done",
      verdict: "unknown_invoice",
    });
  });
});

describe("judging: faults never end a confirmation (G2)", () => {
  it.each<[string, Answer]>([
    ["a fault", { kind: "fault", error: "timeout" }],
    ["a refused key", { kind: "key_refused", error: "401" }],
    ["a rate limit", { kind: "rate_limited", error: "429", retryAfterMs: null }],
  ])("%s after a thousand others is still due, spends no step, and waits 10 s at most", (_, answer) => {
    const outcome = judge(confirmation({ faults: 1_000, attempt: 3, verdict: "pending" }), answer, rules, 1);
    expect(outcome).toMatchObject({
      state: "due",
      verdict: "pending",
      attempt: 3,
      faults: 1_001,
      dueInMs: 10 * SECOND,
    });
  });

  it("twenty in a row of one invoice are told, while the provider answers about others", () => {
    const fault: Answer = { kind: "fault", error: "timeout" };
    for (const faults of [18, 20])
      expect(judge(confirmation({ faults }), fault, rules, 1).raises).toEqual([]);
    expect(judge(confirmation({ faults: 19 }), fault, rules, 1).raises).toMatchObject([
      { name: "invoice_unanswered", detail: expect.stringContaining("timeout") },
    ]);
    const silent = { ...rules, othersAreAnswered: false };
    expect(judge(confirmation({ faults: 19 }), fault, silent, 1).raises).toEqual([]);
  });

  it("Retry-After is honoured to the millisecond", () => {
    expect(
      judge(confirmation(), { kind: "rate_limited", error: "429", retryAfterMs: 7_000 }, rules, EVEN).dueInMs,
    ).toBe(7_000);
  });

  it("an answer outside the contract is kept as evidence, asked on the ladder, then dead", () => {
    const odd: Answer = {
      kind: "outside_contract",
      error: "data.amount is missing",
      evidence: '{"data":{}}',
    };
    const first = judge(confirmation(), odd, rules, EVEN);
    expect(first).toMatchObject({
      state: "due",
      dueInMs: 2 * SECOND,
      lastAnswer: '{"data":{}}',
      lastError: "data.amount is missing",
    });
    expect(first.raises).toMatchObject([{ name: "provider_answer_outside_contract" }]);
    expect(judge(confirmation({ attempt: 8 }), odd, rules, EVEN)).toMatchObject({
      state: "dead",
      lastAnswer: '{"data":{}}',
    });
  });

  it("an interrupted confirmation goes back as it was", () => {
    expect(
      judge(confirmation({ attempt: 2, faults: 3 }), { kind: "interrupted" }, rules, EVEN),
    ).toMatchObject({ state: "due", dueInMs: 0, attempt: 2, faults: 3 });
  });
});
