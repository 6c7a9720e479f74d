import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Happening } from "../history/history.ts";
import { readHistory } from "../history/recorder.ts";
import { checkAlarms } from "./alarms.ts";
import { checkAllFound } from "./all-found.ts";
import { checkBelieved } from "./believed.ts";
import { evidenceOf } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import { checkIdentity } from "./identity.ts";
import { checkLeases } from "./leases.ts";
import { checkNewest } from "./newest.ts";
import { checkPace } from "./pace.ts";
import { checkPublished } from "./published.ts";
import type { Books } from "./read-books.ts";
import { checkRecorded } from "./recorded.ts";
import { checkStandingStill } from "./standing-still.ts";
import { checkTold } from "./told.ts";
import { checkVerdicts } from "./verdicts.ts";

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
