import type { WrittenAlarms } from "../platform/alarms/index.ts";
import type { Database } from "../platform/database/index.ts";
import { type Fault, faultOf, messageOf, noteWork } from "../platform/errors/index.ts";
import { type FailedChore, noteChores } from "../platform/worker/index.ts";

/** Maintenance, and how long each may fail before a person is told, of what may pass by itself: an interval of Postgres. */
const TOLD_AFTER = {
  // Lambda tries once a day, a little sooner or later. Who may not drop a month leaves it to the one who may.
  old_callbacks: "23 hours",
  kept_callbacks: "23 hours",
  unknown_ids: "23 hours",
  personal_data: "23 hours",
  history: "23 hours",
  partitions: "23 hours",
  held_events: "15 minutes",
  settled_statuses: "15 minutes",
  ended_pauses: "15 minutes",
  late_personal_data: "15 minutes",
  quiet_alarms: "15 minutes",
} as const;

type ChoreName = keyof typeof TOLD_AFTER;

/** What each does; one that could not be done returns why, as a text. */
export type Chores = Partial<Record<ChoreName, () => Promise<unknown>>>;

export interface ChoresDone {
  failed: { chore: ChoreName; error: string }[];
  /** Of those, what nobody foresaw, for the log. */
  bugs: Fault[];
  /** How often in a row, whichever process tried; the most of them. */
  failures: number;
  /** For the log: people are notified from the alarms' rows. */
  told: WrittenAlarms;
}

/**
 * Does one after the other; one that fails stops no other, and raises an alarm once it has failed for long.
 * @throws the first failure, when the database does not even take the note of it.
 */
export async function doChores(db: Database, chores: Chores): Promise<ChoresDone> {
  const failed: (FailedChore & { chore: ChoreName })[] = [];
  const thrown: unknown[] = [];
  const names = Object.keys(chores) as ChoreName[];
  for (const chore of names) {
    const fail = (error: string) => failed.push({ chore, toldAfter: TOLD_AFTER[chore], error });
    try {
      const problem = await chores[chore]?.();
      if (typeof problem === "string") fail(problem);
    } catch (error) {
      thrown.push(noteWork(error, { chore }));
      fail(messageOf(error));
    }
  }
  const done = names.filter((name) => failed.every(({ chore }) => chore !== name));
  try {
    const { failures, ...told } = await noteChores(db, { failed, done });
    const bugs = thrown.map(faultOf).filter(({ stack }) => stack !== undefined);
    return { failed: failed.map(({ chore, error }) => ({ chore, error })), bugs, failures, told };
  } catch (error) {
    throw thrown[0] ?? error;
  }
}
