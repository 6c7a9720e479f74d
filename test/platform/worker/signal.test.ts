import { describe, expect, it } from "vitest";
import { Signal, waitForEither } from "../../../src/platform/worker/loop.ts";

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

describe("a signal", () => {
  it("wakes who waits, and one raised before anybody waits is remembered once", async () => {
    const signal = new Signal();
    const waiting = signal.wait(HOUR_MS, never);
    signal.raise();
    expect(await waiting).toBe(true);

    signal.raise();
    signal.raise();
    expect(await signal.wait(HOUR_MS, never)).toBe(true);
    expect(await signal.wait(0, never)).toBe(false);
  });

  it("wakes each who waits for a branch of it, and is remembered for each", async () => {
    const signal = new Signal();
    const [one, other] = [signal.branch(), signal.branch()];
    const waiting = one.wait(HOUR_MS, never);
    signal.raise();
    expect(await waiting).toBe(true);
    expect([signal, one, other].map((each) => each.take())).toEqual([true, false, true]);
  });

  it("ends a wait that is stopped, before it or during it, and keeps what is raised after", async () => {
    const signal = new Signal();
    const stop = new AbortController();
    const waiting = signal.wait(HOUR_MS, stop.signal);
    stop.abort();
    expect(await waiting).toBe(false);
    expect(await signal.wait(HOUR_MS, stop.signal)).toBe(false);
    signal.raise();
    expect(await signal.wait(HOUR_MS, stop.signal)).toBe(true);
  });
});

it.each(["first", "second"] as const)(
  "waiting for either of two signals says that the %s was raised",
  async (which) => {
    const signals = { first: new Signal(), second: new Signal() };
    const wait = (ms: number) => waitForEither(signals.first, signals.second, ms);
    const waiting = wait(HOUR_MS);
    signals[which].raise();
    expect(await waiting).toBe(which);
    expect(await wait(0)).toBe("neither");
    // Raised on both, the other stays raised.
    signals.second.raise();
    signals.first.raise();
    expect([await wait(HOUR_MS), await wait(HOUR_MS), await wait(0)]).toEqual(["first", "second", "neither"]);
  },
);
