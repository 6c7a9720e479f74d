import { z } from "zod";
import { deleteUnknown, readUnknownKeptSince } from "../pipeline/confirm/index.ts";
import {
  dropPartition,
  dropStragglers,
  type OldPartition,
  partitionsBefore,
} from "../pipeline/receive/index.ts";
import type { WrittenAlarms } from "../platform/alarms/index.ts";
import { audit, type ByHand, dropHistory } from "../platform/audit/index.ts";
import { type Database, timeBefore } from "../platform/database/index.ts";
import { type Fault, faultOf, messageOf, noteWork } from "../platform/errors/index.ts";
import { failpoint } from "../platform/process/index.ts";
import { dayOf, startOf } from "../platform/values/index.ts";
import { type FailedChore, noteChores } from "../platform/worker/index.ts";
import { eraseOutdated, outdatedResult } from "./erase.ts";
import { time, whole } from "./list/fields.ts";
import { forgottenConfirmations } from "./open-invoices.ts";

/** Maintenance, and the time that each chore may fail before its alarm: an interval of Postgres. */
const NOTIFIED_AFTER = {
  // Lambda tries once a day, a little sooner or later.
  old_callbacks: "23 hours",
  unknown_ids: "23 hours",
  personal_data: "23 hours",
  history: "23 hours",
  partitions: "23 hours",
  held_events: "15 minutes",
  late_personal_data: "15 minutes",
  quiet_alarms: "15 minutes",
} as const;

type ChoreName = keyof typeof NOTIFIED_AFTER;

/** A chore that could not be done returns the reason, as a text. */
export type Chores = Partial<Record<ChoreName, () => Promise<unknown>>>;

export interface ChoresDone {
  failed: { chore: ChoreName; error: string }[];
  /** The unforeseen ones of these, for the log. */
  bugs: Fault[];
  /** How often in a row, whichever process tried; the most of them. */
  failures: number;
  /** For the log: people are notified from the alarms' rows. */
  alarms: WrittenAlarms;
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
    const fail = (error: string) => failed.push({ chore, notifiedAfter: NOTIFIED_AFTER[chore], error });
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
    const { failures, ...alarms } = await noteChores(db, { failed, done });
    const bugs = thrown.map(faultOf).filter(({ stack }) => stack !== undefined);
    return { failed: failed.map(({ chore, error }) => ({ chore, error })), bugs, failures, alarms };
  } catch (error) {
    throw thrown[0] ?? error;
  }
}

interface RetentionOptions extends ByHand {
  /** How long callbacks are kept, in ms. */
  retentionMs: number;
  /** How long personal data is kept, in ms; for ever by default. */
  personalDataMs?: number | undefined;
  /** Ends early; the next run goes on. */
  stop?: AbortSignal | undefined;
  /** Called with what the run has raised and ended, and how often in a row it failed. */
  onDone?: (done: ChoresDone) => void;
}

export const retentionResult = z.object({
  before: time.describe("Callbacks from before this time are dropped: the first of a month."),
  partitions: z
    .array(z.object({ name: z.string(), to: time }))
    .describe("The months of the log that are past their retention."),
  stragglers: whole.describe("Old callbacks in the default partition that were deleted."),
  unknownConfirmations: whole.describe(
    "Confirmations of ids that stayed unknown for a week. Their callbacks are kept as long as all others.",
  ),
  personalData: outdatedResult.nullable().describe("null without PERSONAL_DATA_RETENTION."),
  failed: z
    .array(z.object({ chore: z.string(), error: z.string() }))
    .describe("The chores that failed; all others were done. The next run tries again."),
});
type RetentionResult = z.output<typeof retentionResult>;

/**
 * Drops whole months of the log that are older than `retentionMs`. Confirmations and events are kept for ever,
 * except confirmations of invoices that stayed unknown for a week. A chore that fails does not stop the others; it raises an alarm when it has failed for a day.
 * @throws the error, when the database does not answer.
 */
export async function applyRetention(options: RetentionOptions): Promise<RetentionResult> {
  const { db, retentionMs, onDone } = options;
  const before = startOf(`${dayOf(await timeBefore(db, retentionMs)).slice(0, 7)}-01`);
  const result: RetentionResult = {
    before,
    partitions: [],
    stragglers: 0,
    unknownConfirmations: 0,
    personalData: null,
    failed: [],
  };
  const done = await doChores(db, choresOf(options, result));
  onDone?.(done);
  return { ...result, failed: done.failed };
}

/** The chores, those that free the disk first; each fills its part of the result. */
function choresOf(options: RetentionOptions, result: RetentionResult): Chores {
  const { db, personalDataMs, onDone } = options;
  const { before } = result;
  return {
    async old_callbacks() {
      result.stragglers = await dropStragglers(db, before);
      await note(options, { before, callbacks: result.stragglers });
      return await dropPartitions(options, result);
    },
    async unknown_ids() {
      result.unknownConfirmations = await deleteForgotten(options);
      await note(options, { before, confirmations: result.unknownConfirmations });
    },
    // A command that does not know the setting says nothing of what `serve` fails at.
    ...((personalDataMs !== undefined || onDone !== undefined) && {
      async personal_data() {
        if (personalDataMs === undefined) return null;
        result.personalData = await eraseOutdated({ ...options, ageMs: personalDataMs });
        return result.personalData.stuck;
      },
    }),
    history: () => dropHistory(db, before),
  };
}

/** Fills `result.partitions`; a month that cannot be dropped does not stop the others. @returns why one stays. */
async function dropPartitions(options: RetentionOptions, result: RetentionResult): Promise<string | null> {
  let problem: string | null = null;
  for (const partition of await partitionsBefore(options.db, result.before)) {
    try {
      await drop(options, partition);
      result.partitions.push(partition);
    } catch (error) {
      problem ??= `the partition ${partition.name} stays: ${messageOf(error)}`;
    }
  }
  return problem;
}

async function drop({ db, actor, reason }: RetentionOptions, partition: OldPartition): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const subject = partition.name;
    const detail = { to: partition.to };
    await audit(trx, [{ actor, action: "retention", subject, invoiceId: null, detail, reason }]);
    await dropPartition(trx, partition);
    failpoint("partition to be dropped");
  });
  failpoint("partition dropped");
}

async function deleteForgotten({ db, stop }: RetentionOptions): Promise<number> {
  let gone = 0;
  for await (const some of forgottenConfirmations(db, await readUnknownKeptSince(db))) {
    if (stop?.aborted === true) break;
    if (some.length === 0) continue;
    failpoint("forgotten confirmations to be deleted");
    gone += await deleteUnknown(db, some);
    failpoint("forgotten confirmations deleted");
  }
  return gone;
}

async function note(
  { db, actor, reason }: RetentionOptions,
  detail: { before: Date; callbacks?: number; confirmations?: number },
): Promise<void> {
  if ((detail.callbacks ?? 0) + (detail.confirmations ?? 0) === 0) return;
  const subject = "callback_default";
  await audit(db, [{ actor, action: "retention", subject, invoiceId: null, detail, reason }]);
}
