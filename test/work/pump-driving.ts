import { afterEach, beforeEach, vi } from "vitest";
import type { ScriptedLine } from "./scripted-policy.ts";

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

/** Lets everything happen that waits for no time. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** Ends every batch of a line, and what starts because of it, until nothing of it is under way. */
export async function finish(line: ScriptedLine): Promise<void> {
  line.answersAtOnce = true;
  for (const batch of line.underWay) batch.done();
  await settle();
}

export const inBatches = (line: ScriptedLine) => [...line.underWay].map(({ items }) => items.length);
