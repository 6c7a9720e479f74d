import { checkAlarms, checkTold } from "./alarms.ts";
import { checkBelieved, checkNewest, checkVerdicts } from "./check-answers.ts";
import { checkLeases, checkPace, checkRecorded, checkStandingStill } from "./check-callbacks.ts";
import { checkAllFound, checkIdentity, checkPublished } from "./check-events.ts";
import { type Evidence, evidenceOf, type Finding, type Findings } from "./evidence.ts";
import type { Happening } from "./history.ts";
import type { Books } from "./read-books.ts";

const CHECKS: [Finding["guarantee"], (evidence: Evidence, books: Books) => Findings][] = [
  ["G1", checkRecorded],
  ["G2", checkVerdicts],
  ["G3", checkBelieved],
  ["G4", checkIdentity],
  ["G5", checkPublished],
  ["G6", checkNewest],
  ["G7", checkLeases],
  ["G8", checkPace],
  ["G11", checkStandingStill],
  ["G10", checkAllFound],
  ["G13", checkAlarms],
  ["G13", checkTold],
];

/** Everything wrong in a run, decided only by what was seen from outside. */
export function checkRun(history: readonly Happening[], books: Books): Finding[] {
  const evidence = evidenceOf(history);
  return CHECKS.flatMap(([guarantee, check]) =>
    Array.from(check(evidence, books), ([what, about]) => ({ guarantee, what, about })),
  );
}
