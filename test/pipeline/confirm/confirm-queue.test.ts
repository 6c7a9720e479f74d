import { describe, expect, it, vi } from "vitest";
import { ConfirmQueue } from "../../../src/pipeline/confirm/confirm-queue.ts";
import type { Outcome } from "../../../src/pipeline/confirm/decide.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import type { Answer } from "../../../src/provider/provider.ts";
import {
  type Asked,
  confirmation,
  fault,
  found,
  interrupted,
  keyRefused,
  limited,
  notFound,
  outside,
  rules,
  unpaid,
} from "./deciding-fixture.ts";

/** What becomes of one confirmation that is answered so, and what else is told of the answer. */
async function confirmed(
  asked: Asked,
  answer: Answer,
  { isProven = true, names = null as string[] | null, refuses = null as Error | null } = {},
) {
  const stored: Outcome[] = [];
  const [reported, suspected, counted, named] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const namesFor = async (name: string) => {
    named(name);
    return names && { names: new Set(names), unread: null };
  };
  const store = async (outcome: Outcome) => {
    if (refuses !== null && outcome.invoice !== null) throw refuses;
    stored.push(outcome);
  };
  const line = new ConfirmQueue({
    ...{ name: "default", rules, timeoutMs: 1_000, replayLimit: 1, lease: leaseOf(1_000), tracer: null },
    ...{ limits: { ratePerSecond: null, unknownRatePerSecond: 5 }, metrics: createMetrics() },
    ...{ provider: { askInvoice: async () => answer }, store: { store } },
    ...{ proof: { note: () => undefined, isProven: async () => isProven, isFresh: isProven } },
    ...{ upstream: { note: async (report: unknown) => reported(report), isHealthy: true, takesMore: true } },
    ...{ keyProbe: { suspect: suspected }, names: { namesFor }, unknownIds: { note: counted } },
  } as unknown as ConstructorParameters<typeof ConfirmQueue>[0]);
  await line.run([confirmation(asked)], { ended: () => undefined, signal: new AbortController().signal });
  const calls = (mock: typeof reported) => mock.mock.calls.map(([first]) => first);
  return {
    outcome: stored[0],
    reported: calls(reported),
    suspected,
    counted: calls(counted),
    named: calls(named),
  };
}

const bare: Answer = { kind: "not_found", inOwnWords: false, error: "HTTP 404" };
const WORKS = { kind: "works" };

describe("an answer about one invoice", () => {
  it.each<[string, Answer, unknown[]]>([
    ["found", found(), [WORKS]],
    ["not found", notFound, [WORKS]],
    ["outside the contract", outside, [WORKS]],
    ["a fault", fault, [{ kind: "failed", times: 1, error: "timeout" }]],
    ["a 429", limited(7_000), [{ kind: "slow_down", retryAfterMs: 7_000, error: "429" }]],
    ["a refused key", keyRefused, []],
    ["cut off", interrupted, []],
  ])("says of its source: %s", async (_, answer, reports) => {
    const { reported, suspected } = await confirmed({}, answer);
    expect(reported).toEqual(reports);
    // This invoice alone may be refused: the key is proved first.
    expect(suspected).toHaveBeenCalledTimes(answer === keyRefused ? 1 : 0);
  });

  it.each<[boolean, object, string]>([
    [false, { state: "due", faults: 1, attempt: 0 }, "failed"],
    [true, { state: "due", faults: 0, attempt: 1 }, "works"],
  ])("that is a bare 404 counts only of a proven source: %j (G2)", async (isProven, outcome, kind) => {
    const stored = await confirmed({ attempt: 0 }, bare, { isProven });
    expect(stored.outcome).toMatchObject(outcome);
    expect(stored.reported).toMatchObject([{ kind }]);
    expect((await confirmed({ attempt: 5 }, bare, { isProven })).outcome?.state).toBe(
      isProven ? "done" : "due",
    );
  });

  it("counts among those about unknown ids while its id is unknown", async () => {
    for (const answer of [found(), notFound]) {
      expect((await confirmed({}, answer)).counted).toEqual([answer.kind]);
      expect((await confirmed({ priority: "known" }, answer)).counted).toEqual([]);
    }
    expect((await confirmed({}, fault)).counted).toEqual([]);
  });

  it("is decided by the collections' names where they decide, and only there are they asked for", async () => {
    const foreign = await confirmed({}, found(), { names: ["Other"] });
    expect([foreign.outcome?.verdict, foreign.named]).toEqual(["quarantined", ["Term 1"]]);
    for (const [asked, answer] of [
      [{}, unpaid()],
      [{ released: true }, found()],
      [{ hasEvent: true }, found()],
    ] as const)
      expect((await confirmed(asked, answer, { names: ["Other"] })).named).toEqual([]);
  });

  it("that Postgres refuses is kept as evidence, and asked for again", async () => {
    const refuses = Object.assign(new Error("value out of range"), { code: "22003" });
    const { outcome } = await confirmed({}, found(), { refuses });
    expect(outcome).toMatchObject({ state: "due", attempt: 1, invoice: null, event: null });
    expect(JSON.parse(outcome?.lastAnswer ?? "")).toMatchObject({ title: "School fees" });
    expect(outcome?.lastAnswer).not.toContain("0123456789012345678901");
    const away = Object.assign(new Error("away"), { code: "57P01" });
    await expect(confirmed({}, found(), { refuses: away })).rejects.toBe(away);
  });
});
