import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger, logRepeats } from "../../src/kit/log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function recording() {
  const lines: { level: string; msg: string; error?: string }[] = [];
  const log = createLogger({
    level: "info",
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  return { log, said: () => lines.map(({ msg, error }) => (error ? `${msg}: ${error}` : msg)) };
}

describe("repeats of a warning or an error", () => {
  it("are counted: the first is told at once, the others with the end of their time", () => {
    const { log, said } = recording();
    for (let n = 0; n < 46; n += 1) log.warn({ error: "away" }, "a pass failed");
    expect(said()).toEqual(["a pass failed: away"]);
    vi.advanceTimersByTime(10_000);
    expect(said().at(-1)).toBe("a pass failed (the same 45 times in 10 s): away");
    log.warn({ error: "away" }, "a pass failed");
    expect(said()).toHaveLength(2);
    vi.advanceTimersByTime(10_000);
    expect(said().at(-1)).toBe("a pass failed (the same once more in 10 s): away");
    vi.advanceTimersByTime(20_000);
    log.warn({ error: "away" }, "a pass failed");
    expect(said()).toHaveLength(4);
  });

  it("are told before what is logged of the same work next, such as that it works again", () => {
    const { log, said } = recording();
    for (const worker of ["confirm", "publish"])
      for (let n = 0; n < 3; n += 1) log.warn({ worker, error: "away" }, `${worker} failed`);
    log.info({ worker: "confirm" }, "works again");
    vi.advanceTimersByTime(10_000);
    expect(said().slice(2)).toEqual([
      "confirm failed (the same 2 times in 0 s): away",
      "works again",
      "publish failed (the same 2 times in 10 s): away",
    ]);
  });

  it("are told with the process' end, too", () => {
    const { log, said } = recording();
    for (let n = 0; n < 3; n += 1) log.warn({ error: "away" }, "a pass failed");
    vi.advanceTimersByTime(3_000);
    logRepeats();
    expect(said().at(-1)).toBe("a pass failed (the same 2 times in 3 s): away");
  });

  it("are not what differs in worker, source or error, nor alarms, nor information", () => {
    const { log, said } = recording();
    for (const error of ["one", "other"]) log.warn({ error }, "failed");
    for (const worker of ["confirm", "publish"]) log.warn({ worker, error: "one" }, "failed");
    for (const subject of ["a", "b"]) log.error({ alarm: "event_dead", source: "default", subject }, "dead");
    for (let n = 0; n < 2; n += 1) log.info({}, "published a paid invoice");
    expect(said()).toHaveLength(8);
  });

  it("are not requests, each of which somebody may look for by its id", () => {
    const { log, said } = recording();
    for (const requestId of ["a", "b"]) log.error({ requestId, error: "one" }, "a request failed");
    expect(said()).toHaveLength(2);
  });

  it("of more kinds than can be kept are told as they come", () => {
    const { log, said } = recording();
    for (let n = 0; n < 2_000; n += 1) log.warn({ error: String(n) }, "failed");
    expect(said()).toHaveLength(2_000);
  });
});
