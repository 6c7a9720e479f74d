import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/provider/provider.ts";
import {
  type Asked,
  decided,
  fault,
  found,
  interrupted,
  keyRefused,
  known,
  limited,
  notFound,
  outside,
  unpaid,
} from "./deciding-fixture.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const SCHEDULE = [2 * SECOND, 10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR];
const ON_HOLD = unpaid({ status: "OnHold" });
const TYPELESS = found({ type: null });

describe("an answer that may change is asked for again on the retry schedule", () => {
  it.each<[string, Answer, number, object]>([
    ["unpaid, then not_paid", unpaid(), 8, { state: "done", verdict: "not_paid" }],
    ["not found, then unknown_invoice", notFound, 5, { state: "done", verdict: "unknown_invoice" }],
    ["of an unknown status, then dead", ON_HOLD, 8, { state: "dead", verdict: "pending" }],
    ["outside the contract, then dead", outside, 8, { state: "dead", verdict: "pending" }],
    ["paid, of no type, then dead", TYPELESS, 8, { state: "dead", verdict: "pending" }],
  ])("%s", (_, answer, steps, end) => {
    for (const [attempt, dueInMs] of SCHEDULE.slice(0, steps).entries())
      expect(decided({ attempt, verdict: "pending" }, answer)).toMatchObject({
        ...{ state: "due", verdict: "pending", dueInMs, attempt: attempt + 1, event: null },
      });
    expect(decided({ attempt: steps, verdict: "pending" }, answer)).toMatchObject({ ...end, event: null });
  });

  it("with jitter, which moves a step by a tenth at most", () => {
    expect([0, 1].map((jitter) => decided({}, unpaid(), {}, jitter).dueInMs)).toEqual([1_800, 2_200]);
  });

  it("an id that is not found is asked for after those that are known", () => {
    expect([decided({}, notFound).priority, decided({}, unpaid()).priority]).toEqual(["unknown", "known"]);
  });

  it.each(["Invalidated", "invalid", "EXPIRED"])("but %s is done", (status) => {
    const outcome = { state: "done", verdict: "invalidated", event: null };
    expect(decided({}, unpaid({ status }))).toMatchObject(outcome);
  });
});

describe("faults never end a confirmation (G2)", () => {
  it.each<[string, Answer]>([
    ["a fault", fault],
    ["a refused key", keyRefused],
    ["a rate limit", limited()],
  ])("%s after a thousand others is still due, spends no step, and waits 10 s at most", (_, answer) => {
    expect(decided({ faults: 1_000, attempt: 3, verdict: "pending" }, answer, {}, 1)).toMatchObject({
      ...{ state: "due", verdict: "pending", attempt: 3, faults: 1_001, dueInMs: 10 * SECOND },
    });
  });

  it("their back-off doubles from one second", () => {
    expect([0, 1, 2].map((faults) => decided({ faults }, fault, {}, 1).dueInMs)).toEqual([
      1_000, 2_000, 4_000,
    ]);
  });

  it("Retry-After is honoured to the millisecond, a quarter of an hour at most", () => {
    expect(decided({}, limited(7_000)).dueInMs).toBe(7_000);
    expect(decided({}, limited(16 * MINUTE)).dueInMs).toBe(15 * MINUTE);
  });

  it("an interrupted confirmation goes back as it was", () => {
    expect(decided({ attempt: 2, faults: 3 }, interrupted)).toMatchObject({
      ...{ state: "due", dueInMs: 0, attempt: 2, faults: 3 },
    });
  });

  it.each<[number, boolean, string[]]>([
    [18, true, []],
    [19, true, ["invoice_unanswered"]],
    [20, true, []],
    [79, true, ["invoice_unanswered"]],
    [19, false, []],
  ])(
    "%i before of one invoice are told or not, while others are answered: %j",
    (faults, othersAreAnswered, told) => {
      const { raises } = decided({ faults }, fault, { othersAreAnswered });
      expect(raises.map(({ name }) => name)).toEqual(told);
    },
  );
});

describe("evidence", () => {
  it("is kept of an answer outside the contract, unless the invoice was erased", () => {
    const evidence = { lastAnswer: '{"data":{}}', lastError: "no amount" };
    expect(decided({}, outside)).toMatchObject({ ...evidence, covered: false });
    expect(decided({ attempt: 8 }, outside)).toMatchObject({ ...evidence, covered: true });
    expect(decided({ erased: true }, outside).lastAnswer).toBeNull();
  });

  it.each<[string, Asked, Answer, boolean, boolean]>([
    ["a fault", { attempt: 1 }, fault, true, false],
    ["not found as yet", { attempt: 1 }, notFound, true, true],
    ["a process that stops", { attempt: 1 }, interrupted, true, false],
    ["not found in the end", { attempt: 5 }, notFound, false, true],
    ["unpaid as yet", { attempt: 1 }, unpaid(), false, true],
    ["paid", { attempt: 1 }, found(), false, true],
  ])("stays until a better one, as do requests: %s", (_, asked, answer, keeps, covered) => {
    expect(decided(asked, answer)).toMatchObject({ lastAnswer: null, keepsEvidence: keeps, covered });
  });
});

it("an older answer is decided by what is known", () => {
  const later = known({ status: "Invalidated", modifiedAt: new Date("2026-11-02T00:00:00Z") });
  expect(decided({ known: later }, unpaid())).toMatchObject({
    verdict: "invalidated",
    invoice: { newest: false },
  });
});
