import fc from "fast-check";
import type { Environment } from "./environment.ts";
import type { Finding } from "./model.ts";
import { type ScenarioPlan, scenarios } from "./plan.ts";
import { playScenario } from "./play-scenario.ts";

const SIDE_BY_SIDE = 3;

/** The longest that one scenario is shrunk, in ms. */
const SHRINKING_MS = 60_000;

/**
 * Plays scenarios, each from a seed of its own: `seed`, the next number, and so on, and says what is wrong.
 * @param shrunk so many of the failing ones are made as small as they fail.
 * @returns the seeds that fail, and how many certificates were of each result.
 */
export async function runScenarios(
  environment: Environment,
  { seed, count, shrunk, say }: { seed: number; count: number; shrunk: number; say: (line: string) => void },
): Promise<{ failed: number[]; results: Record<string, number> }> {
  const failed: number[] = [];
  const results: Record<string, number> = {};
  const seeds = Array.from({ length: count }, (_, n) => seed + n).values();
  const work = async () => {
    for (const own of seeds) {
      const { failing, results: said } = await playSeed(environment, own, failed.length < shrunk);
      for (const result of said) results[result] = (results[result] ?? 0) + 1;
      if (failing.length === 0) continue;
      failed.push(own);
      for (const { kind, about } of failing[0]?.findings ?? []) say(`seed ${own}: ${kind}: ${about}`);
      if (failing.length > 1) say(`seed ${own}, its smallest scenario: ${JSON.stringify(failing.at(-1))}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return { failed, results };
}

/** @returns what fails of this seed: its scenario, and, where it is shrunk, smaller and smaller ones. */
async function playSeed(environment: Environment, seed: number, isShrunk: boolean) {
  const failing: { scenario: ScenarioPlan; findings: Finding[] }[] = [];
  let results: string[] = [];
  let until = Number.POSITIVE_INFINITY;
  const plays = fc.asyncProperty(scenarios, async (scenario) => {
    if (performance.now() > until) return true;
    const played = await playScenario(environment, scenario);
    const [first] = failing;
    if (first === undefined) {
      results = played.results;
      until = performance.now() + SHRINKING_MS;
    }
    // Not another fault, met on the way.
    const kinds = (first ?? played).findings.map(({ kind }) => kind);
    const findings = played.findings.filter(({ kind }) => kinds.includes(kind));
    if (findings.length > 0) failing.push({ scenario, findings });
    return findings.length === 0;
  });
  const { failed, errorInstance } = await fc.check(plays, {
    seed,
    numRuns: 1,
    unbiased: true,
    endOnFailure: !isShrunk,
  });
  if (failed && failing.length === 0) throw errorInstance;
  return { failing, results };
}
