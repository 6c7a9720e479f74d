import { describe, expect, it } from "vitest";
import { noteWork } from "../../../src/platform/errors/errors.ts";
import { createLogger, type Logger } from "../../../src/platform/log/log.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { Signal, startLoop } from "../../../src/platform/worker/index.ts";

/** A signal that nobody waits for in earnest: notes how long it would have been, and wakes at once. */
class NotedSignal extends Signal {
  readonly waits: number[] = [];

  override async wait(timeoutMs: number): Promise<boolean> {
    this.waits.push(timeoutMs);
    await new Promise(setImmediate);
    return false;
  }
}

/** Runs passes that end as the script says, one after the other; resolves once all of it is used up. */
async function run(...script: (number | null | Error)[]) {
  const wake = new NotedSignal();
  // A real one says only once what it would say again and again.
  const told: object[] = [];
  const tell = (fields: object) => void told.push(fields);
  const log = { info: tell, warn: tell } as unknown as Logger;
  const metrics = createMetrics();
  const allDone = Promise.withResolvers<void>();
  const job = async () => {
    const next = script.shift();
    if (script.length === 0) allDone.resolve();
    if (next instanceof Error) throw next;
    return next ?? null;
  };
  const loop = startLoop({ name: "confirm", run: job, wake, everyMs: 1_000, log, metrics });
  await allDone.promise;
  await loop.stop();
  const failures = await metrics.jobFailures.get();
  return {
    waits: wake.waits,
    told,
    failures: failures.values.find(({ labels }) => labels.worker === "confirm"),
  };
}

describe("a loop", () => {
  it("waits for as long as its pass says, and for the safety net's poll at most", async () => {
    const { waits, told } = await run(200, null, 5_000, 0);
    expect(waits.slice(0, 4)).toEqual([200, 1_000, 1_000, 0]);
    expect(told).toEqual([]);
  });

  it("tries a pass that fails again with back-off, counts it, and says when it works again", async () => {
    const away = Object.assign(new Error("Postgres is away"), { code: "57P01" });
    const { waits, told, failures } = await run(away, away, 200, ...Array(9).fill(away), 200);
    const within = (index: number, limitMs: number) => {
      expect(waits[index]).toBeGreaterThanOrEqual(limitMs / 2);
      expect(waits[index]).toBeLessThanOrEqual(limitMs);
    };
    within(0, 100);
    within(1, 200);
    expect(waits[2]).toBe(200);
    within(3, 100);
    within(11, 5_000);
    const failed = (count: number) => ({ worker: "confirm", failures: count, error: "Postgres is away" });
    const again = { worker: "confirm" };
    const counted = Array.from({ length: 9 }, (_, index) => failed(index + 1));
    expect(told).toEqual([failed(1), failed(2), again, ...counted, again]);
    expect(failures).toMatchObject({ value: 11, labels: { worker: "confirm" } });
  });

  it("tells where a bug in its pass is, and what was being worked on", async () => {
    const { told } = await run(noteWork(new TypeError("a bug"), { invoices: ["one"] }), 0);
    const stack = expect.stringContaining("loop.test.ts:");
    expect(told).toMatchObject([{ worker: "confirm", error: "a bug", invoices: ["one"], stack }, {}]);
  });

  it("asked to stop, ends its pass, and none begins after it", async () => {
    const passes: AbortSignal[] = [];
    const loop = startLoop({
      ...{ name: "confirm", wake: new Signal(), everyMs: 60_000 },
      ...{ log: createLogger({ level: "silent" }), metrics: createMetrics() },
      run: (stop) => {
        passes.push(stop);
        return new Promise((resolve) => stop.addEventListener("abort", () => resolve(0)));
      },
    });
    expect(passes.map(({ aborted }) => aborted)).toEqual([false]);
    await loop.stop();
    expect(passes.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
