/** Figures of everything that is measured, a round each. */
export type Rounds<Figures> = Record<string, readonly Figures[]>;

/** Prints progress to stderr. */
export const tell = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Measures all variants in every round, forwards and backwards in turn, so that what drifts (other programs,
 * the disk) hits all of them alike.
 */
export async function interleave<Figures>(
  variants: Record<string, () => Promise<Figures>>,
  rounds: number,
): Promise<Record<string, Figures[]>> {
  const all = Object.entries(variants);
  const figures: Record<string, Figures[]> = Object.fromEntries(all.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, measure] of round % 2 === 0 ? all : all.toReversed()) {
      tell(`round ${round + 1} of ${rounds}: ${name}`);
      figures[name]?.push(await measure());
    }
  return figures;
}

interface Spread {
  min: number;
  median: number;
  max: number;
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
  return { min: sorted[0] ?? 0, median, max: sorted.at(-1) ?? 0 };
}

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** Of durations in any order and unit. */
export function percentilesOf(durations: readonly number[]): Percentiles {
  const sorted = Float64Array.from(durations).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Round by round, so that what slowed a whole round down does not count. */
export const ratiosOf = (figures: readonly number[], references: readonly number[]): number[] =>
  figures.map((figure, round) => figure / (references[round] ?? Number.NaN));
