import { tell } from "./report.ts";

/** One thing that is measured, a round at a time. */
export type Variants<Figures> = Record<string, (round: number) => Promise<Figures>>;

/**
 * Measures all variants in every round, forwards and backwards in turn, so that what drifts (other programs,
 * the disk) hits all of them alike.
 * @returns each variant's figures, a round each.
 */
export async function interleave<Figures>(
  variants: Variants<Figures>,
  rounds: number,
): Promise<Record<string, Figures[]>> {
  const names = Object.keys(variants);
  const figures: Record<string, Figures[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      tell(`round ${round + 1} of ${rounds}: ${name}`);
      const measured = await variants[name]?.(round);
      if (measured !== undefined) figures[name]?.push(measured);
    }
  }
  return figures;
}
