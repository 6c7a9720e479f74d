import fc from "fast-check";
import type { Finding } from "./model.ts";
import { type WorldPlan, worlds } from "./plan.ts";
import { type Played, playWorld } from "./play-world.ts";
import type { Yard } from "./yard.ts";

interface Failure {
  seed: number;
  findings: Finding[];
  /** The smallest world that fails, and what it came to; null for those beyond the first few. */
  smallest: { world: WorldPlan; findings: Finding[] } | null;
}

export interface Outcome {
  failures: Failure[];
  /** How many certificates were of each result. */
  results: Record<string, number>;
}

const SIDE_BY_SIDE = 3;

/**
 * Plays worlds, each from a seed of its own: `seed`, the next number, and so on.
 * @param shrunk so many of the failing ones are made as small as they fail; null for none.
 */
export async function runWorlds(
  yard: Yard,
  { seed, count, shrunk, say }: { seed: number; count: number; shrunk: number; say: (line: string) => void },
): Promise<Outcome> {
  const failures: Failure[] = [];
  const results: Record<string, number> = {};
  let next = seed;
  const work = async () => {
    while (next < seed + count) {
      const own = next;
      next += 1;
      const played = await playSeed(yard, own);
      for (const result of played.results) results[result] = (results[result] ?? 0) + 1;
      if (played.findings.length > 0) {
        failures.push({ seed: own, findings: played.findings, smallest: null });
        for (const { kind, about } of played.findings) say(`seed ${own}: ${kind}: ${about}`);
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  for (const failure of failures.slice(0, shrunk)) {
    failure.smallest = await shrink(yard, failure.seed);
    say(`seed ${failure.seed}, its smallest world: ${JSON.stringify(failure.smallest)}`);
  }
  return { failures, results };
}

async function playSeed(yard: Yard, seed: number): Promise<Played> {
  let played: Played = { findings: [], results: [] };
  const once = fc.asyncProperty(worlds, async (world) => {
    played = await playWorld(yard, world);
  });
  await fc.assert(once, { seed, numRuns: 1, unbiased: true, endOnFailure: true });
  return played;
}

/** The longest that one world is shrunk, in ms. */
const SHRINKING_MS = 60_000;

async function shrink(yard: Yard, seed: number): Promise<Failure["smallest"]> {
  let smallest: Failure["smallest"] = null;
  let kinds: Set<string> | null = null;
  const fails = fc.asyncProperty(worlds, async (world) => {
    const { findings } = await playWorld(yard, world);
    kinds ??= new Set(findings.map(({ kind }) => kind));
    // Not another fault, met on the way.
    const same = findings.filter(({ kind }) => kinds?.has(kind));
    if (same.length > 0) smallest = { world, findings: same };
    return same.length === 0;
  });
  await fc.check(fails, { seed, numRuns: 1, unbiased: true, interruptAfterTimeLimit: SHRINKING_MS });
  return smallest;
}
