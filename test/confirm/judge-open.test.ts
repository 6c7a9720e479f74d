import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/confirm/answer.ts";
import { judge } from "../../src/confirm/judge.ts";
import { EVEN, HOUR, MINUTE, question, rules, SECOND, unpaid } from "./judging-fixture.ts";

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
    expect(judge(question({ attempt }), unpaid(), rules, EVEN).settlement).toMatchObject({
      state: "due",
      verdict: "pending",
      dueInMs,
      attempt: attempt + 1,
    });
  });

  it("Unpaid at the end of the ladder is not_paid", () => {
    expect(judge(question({ attempt: 8 }), unpaid(), rules, EVEN).settlement).toMatchObject({
      state: "done",
      verdict: "not_paid",
      event: null,
    });
  });

  it("jitter moves a step by a tenth at most", () => {
    const waits = [0, 1].map((dice) => judge(question(), unpaid(), rules, dice).settlement.dueInMs);
    expect(waits).toEqual([1_800, 2_200]);
  });

  it.each(["Invalidated", "invalid", "EXPIRED"])("%s is done", (status) => {
    expect(judge(question(), unpaid({ status }), rules, EVEN).settlement).toMatchObject({
      state: "done",
      verdict: "invalidated",
      event: null,
    });
  });

  it("a status that nobody knows is kept, asked on the ladder, then dead with its name", () => {
    const first = judge(question(), unpaid({ status: "OnHold" }), rules, EVEN).settlement;
    expect(first).toMatchObject({
      state: "due",
      dueInMs: 2 * SECOND,
      invoice: { status: "OnHold" },
      lastError: expect.stringContaining("OnHold"),
    });
    const last = judge(question({ attempt: 8 }), unpaid({ status: "OnHold" }), rules, EVEN);
    expect(last.settlement).toMatchObject({ state: "dead", lastError: expect.stringContaining("OnHold") });
    expect(last.alarms).toMatchObject([{ name: "question_dead" }]);
  });

  it("not found is asked on the ladder up to ten minutes, then unknown_invoice", () => {
    expect(judge(question({ attempt: 4 }), { kind: "not_found" }, rules, EVEN).settlement).toMatchObject({
      state: "due",
      dueInMs: 10 * MINUTE,
      lane: "unknown",
    });
    expect(judge(question({ attempt: 5 }), { kind: "not_found" }, rules, EVEN).settlement).toMatchObject({
      state: "done",
      verdict: "unknown_invoice",
    });
  });
});

describe("judging: faults never end a question (G2)", () => {
  it.each<[string, Answer]>([
    ["a fault", { kind: "fault", error: "timeout" }],
    ["a refused key", { kind: "key_refused", error: "401" }],
    ["a rate limit", { kind: "rate_limited", error: "429", retryAfterMs: null }],
  ])("%s after a thousand others is still due, spends no step, and waits 30 s at most", (_, answer) => {
    const { settlement } = judge(
      question({ faults: 1_000, attempt: 3, verdict: "pending" }),
      answer,
      rules,
      1,
    );
    expect(settlement).toMatchObject({
      state: "due",
      verdict: "pending",
      attempt: 3,
      faults: 1_001,
      dueInMs: 30 * SECOND,
    });
  });

  it("Retry-After is honoured to the millisecond", () => {
    expect(
      judge(question(), { kind: "rate_limited", error: "429", retryAfterMs: 7_000 }, rules, EVEN).settlement
        .dueInMs,
    ).toBe(7_000);
  });

  it("an answer outside the contract is kept as evidence, asked on the ladder, then dead", () => {
    const odd: Answer = {
      kind: "outside_contract",
      error: "data.amount is missing",
      evidence: '{"data":{}}',
    };
    const first = judge(question(), odd, rules, EVEN);
    expect(first.settlement).toMatchObject({
      state: "due",
      dueInMs: 2 * SECOND,
      lastAnswer: '{"data":{}}',
      lastError: "data.amount is missing",
    });
    expect(first.alarms).toMatchObject([{ name: "provider_answer_outside_contract" }]);
    expect(judge(question({ attempt: 8 }), odd, rules, EVEN).settlement).toMatchObject({
      state: "dead",
      lastAnswer: '{"data":{}}',
    });
  });

  it("an interrupted question goes back as it was", () => {
    expect(
      judge(question({ attempt: 2, faults: 3 }), { kind: "interrupted" }, rules, EVEN).settlement,
    ).toMatchObject({ state: "due", dueInMs: 0, attempt: 2, faults: 3 });
  });
});
