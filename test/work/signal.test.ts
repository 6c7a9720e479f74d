import { describe, expect, it } from "vitest";
import { Signal, waitForEither } from "../../src/work/signal.ts";

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

describe("waiting for either of two signals", () => {
  it.each(["first", "second"] as const)("says that the %s was raised", async (which) => {
    const signals = { first: new Signal(), second: new Signal() };
    const waiting = waitForEither(signals.first, signals.second, HOUR_MS);
    signals[which].raise();
    expect(await waiting).toBe(which);
    expect(await waitForEither(signals.first, signals.second, 0)).toBe("neither");
  });

  it("leaves raised what was raised on the other one", async () => {
    const [first, second] = [new Signal(), new Signal()];
    const waiting = waitForEither(first, second, HOUR_MS);
    second.raise();
    first.raise();
    expect(await waiting).toBe("first");
    expect(await waitForEither(first, second, HOUR_MS)).toBe("second");
    expect(await waitForEither(first, second, 0)).toBe("neither");
  });
});
