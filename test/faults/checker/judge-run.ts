import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Happening } from "../history/history.ts";
import { readHistory } from "../history/recorder.ts";
import { checkAlarms, checkTold } from "./alarms.ts";
import { checkBelieved, checkNewest, checkVerdicts } from "./check-answers.ts";
import { checkLeases, checkPace, checkRecorded, checkStandingStill } from "./check-callbacks.ts";
import { checkAllFound, checkIdentity, checkPublished } from "./check-events.ts";
import { evidenceOf, type Finding } from "./evidence.ts";
import type { Books } from "./read-books.ts";

/** Everything wrong in a run, judged only by what was seen from outside. */
export function judge(history: readonly Happening[], books: Books): Finding[] {
  const evidence = evidenceOf(history);
  return [
    ...checkRecorded(evidence, books),
    ...checkVerdicts(evidence, books),
    ...checkBelieved(evidence, books),
    ...checkIdentity(evidence, books),
    ...checkPublished(evidence, books),
    ...checkNewest(evidence, books),
    ...checkLeases(evidence),
    ...checkPace(evidence),
    ...checkStandingStill(evidence),
    ...checkAllFound(evidence),
    ...checkAlarms(evidence, books),
    ...checkTold(evidence, books),
  ];
}

/** Judges the history and the tables that a run left in its folder. */
export const judgeFolder = (folder: string): Finding[] =>
  judge(readHistory(folder), JSON.parse(readFileSync(join(folder, "tables.json"), "utf8")) as Books);
