import type { Filter } from "./filter-bar.tsx";
import { wordOf } from "./state-words.ts";

/** Verdicts to choose from, in their words. */
export const choicesOf = (verdicts: readonly string[]) =>
  verdicts.map((verdict) => [verdict, wordOf(verdict)] as const);

/** The filter of a list whose rows have one of these. */
export const verdictFilter = (verdicts: readonly string[]): Filter => ({
  name: "verdict",
  label: "Verdict",
  kind: "choice",
  choices: choicesOf(verdicts),
});
