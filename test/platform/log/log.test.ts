import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger, logRepeats } from "../../../src/platform/log/log.ts";
import { expectGolden } from "../../support/golden.ts";

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
  it("are counted: the first is told at once, the others with their time's end, the next line of that work, the process' end", async () => {
    const { log, said } = recording();
    const fail = (worker: string, times: number) => {
      for (let n = 0; n < times; n += 1) log.warn({ worker, error: "away" }, `${worker} failed`);
    };
    fail("confirm", 46);
    expect(said()).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    expect(said()).toHaveLength(2);
    fail("confirm", 1);
    expect(said()).toHaveLength(2);
    vi.advanceTimersByTime(10_000);
    expect(said()).toHaveLength(3);
    vi.advanceTimersByTime(20_000);
    fail("confirm", 3);
    fail("publish", 3);
    expect(said()).toHaveLength(5);
    log.info({ worker: "confirm" }, "works again");
    expect(said()).toHaveLength(7);
    vi.advanceTimersByTime(3_000);
    logRepeats();
    await expectGolden("log-repeats", said().join("\n").replaceAll(" s)", " seconds)"));
  });

  it("are not what differs in worker, source or error, nor alarms, requests and information", () => {
    const { log, said } = recording();
    for (const error of ["one", "other"]) log.warn({ error }, "failed");
    for (const worker of ["confirm", "publish"]) log.warn({ worker, error: "one" }, "failed");
    for (const subject of ["a", "b"]) log.error({ alarm: "event_dead", source: "default", subject }, "dead");
    for (let n = 0; n < 2; n += 1) log.info({}, "published a paid invoice");
    // Somebody may look for each by its id.
    for (const requestId of ["a", "b"]) log.error({ requestId, error: "one" }, "a request failed");
    expect(said()).toHaveLength(10);
  });

  it("of more kinds than can be kept are told as they come", () => {
    const { log, said } = recording();
    for (let n = 0; n < 2_000; n += 1) log.warn({ error: String(n) }, "failed");
    expect(said()).toHaveLength(2_000);
  });
});
