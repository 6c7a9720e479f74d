import { afterEach, beforeEach, vi } from "vitest";
import type { Pump } from "../../src/work/pump.ts";
import { type Item, type Options, type ScriptedLine, scriptedPump } from "./scripted-policy.ts";

/** Time passes only as the test says. */
export function onFakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const never = () => new AbortController().signal;

export const only = (lines: readonly ScriptedLine[], index = 0): ScriptedLine => {
  const line = lines[index];
  if (line === undefined) throw new Error("there is no such line");
  return line;
};

/** Asks for a place on each of these lines. */
export const reserve = (pump: { reserve(line: string): boolean }, ...lines: string[]): boolean[] =>
  lines.map((line) => pump.reserve(line));

/** Lets everything happen that waits for no time. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** Ends every batch of a line, and what starts because of it, until nothing of it is under way. */
export async function finish(line: ScriptedLine): Promise<void> {
  line.answersAtOnce = true;
  for (const batch of line.underWay) batch.done();
  await settle();
}

/** Drains. @returns stops it, and waits for its end once all of that line is done. */
export function draining(pump: Pick<Pump<Item>, "drain">): (line: ScriptedLine) => Promise<void> {
  const stop = new AbortController();
  const drained = pump.drain(stop.signal);
  return async (line) => {
    stop.abort();
    await settle();
    await finish(line);
    await drained;
  };
}

/** A pump over one line, whose upstream answers when the test says so. */
export function slowPump(options: Omit<Options, "lines"> = {}) {
  const { lines, ...made } = scriptedPump({ ...options, lines: ["a"] });
  const line = only(lines);
  line.answersAtOnce = false;
  return { ...made, line };
}

export const inBatches = (line: ScriptedLine) => [...line.underWay].map(({ items }) => items.length);
