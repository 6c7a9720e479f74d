import { z } from "zod";
import { deleteUnknown, readUnknownKeptSince } from "../pipeline/confirm/index.ts";
import {
  dropPartition,
  droppingStragglers,
  findingKept,
  type OldPartition,
  partitionsBefore,
  sizeOf,
  whenNotBusy,
} from "../pipeline/receive/index.ts";
import { audit, type ByHand, dropHistory } from "../platform/audit/index.ts";
import { type Database, inKeyOrder, timeBefore } from "../platform/database/index.ts";
import { isLockTimeout, isNotAllowed, messageOf } from "../platform/errors/index.ts";
import { failpoint } from "../platform/process/index.ts";
import { dayOf, startOf } from "../platform/values/index.ts";

import { type Chores, type ChoresDone, doChores } from "./chores.ts";
import { countOutdated, eraseOutdated, outdatedResult } from "./erase.ts";
import { time, whole } from "./list/fields.ts";
import { forgottenConfirmations, isOpen, openInvoices } from "./open-invoices.ts";

interface RetentionOptions extends ByHand {
  /** How long callbacks are kept, in ms. */
  retentionMs: number;
  /** How long personal data is kept, in ms; for ever by default. */
  personalDataMs?: number | undefined;
  dryRun?: boolean | undefined;
  /** Ends early; the next run goes on. */
  stop?: AbortSignal | undefined;
  /** Called with what the run has raised and ended, and how often in a row it failed. */
  onDone?: (done: ChoresDone) => void;
}

export const retentionResult = z.object({
  dryRun: z.boolean(),
  before: time.describe("Callbacks from before this time are dropped: the first of a month."),
  partitions: z
    .array(
      z.object({
        name: z.string(),
        to: time,
        callbacks: whole.describe("Exact up to ten thousand, else about."),
        kept: whole.describe("Callbacks of open invoices: they move to the default partition and are kept."),
      }),
    )
    .describe("The months of the log that are past their retention."),
  stragglers: whole.describe("Old callbacks in the default partition that are dropped."),
  unknownConfirmations: whole.describe(
    "Confirmations of ids that stayed unknown for a week. Their callbacks are kept as long as all others.",
  ),
  stays: z
    .object({ name: z.string(), why: z.enum(["busy", "not_allowed"]) })
    .nullable()
    .describe(
      "A partition that could not be dropped; the next run tries again. `not_allowed`: this database user " +
        "may not drop it.",
    ),
  personalData: outdatedResult.nullable().describe("null without PERSONAL_DATA_RETENTION."),
  failed: z
    .array(z.object({ chore: z.string(), error: z.string() }))
    .describe("What could not be done; all else was. The next run tries again."),
});
type RetentionResult = z.output<typeof retentionResult>;

/** How often to try to drop a partition of a busy log. */
const TRIES = 3;

/**
 * Drops whole months of the log that are older than `retentionMs`. Callbacks of open invoices (a confirmation
 * not done, or in quarantine and neither released nor dismissed, or an event neither published nor dismissed)
 * move to the default partition first and are dropped once the invoice is no longer open. Confirmations and
 * events are kept for ever, except confirmations of invoices that stayed unknown for a week. What fails stops
 * nothing else; people are notified when it has failed for a day.
 * @throws what came up, when the database does not answer.
 */
export async function applyRetention(options: RetentionOptions): Promise<RetentionResult> {
  const { db, retentionMs, dryRun = false, onDone } = options;
  const before = startOf(`${dayOf(await timeBefore(db, retentionMs)).slice(0, 7)}-01`);
  const result: RetentionResult = {
    dryRun,
    before,
    partitions: [],
    stragglers: 0,
    unknownConfirmations: 0,
    stays: null,
    personalData: null,
    failed: [],
  };
  if (dryRun) {
    for (const look of Object.values(choresOf(options, result))) await look();
    return result;
  }
  const done = await doChores(db, choresOf(options, result));
  onDone?.(done);
  return { ...result, failed: done.failed };
}

const dropStragglers = droppingStragglers(isOpen);
const findKept = findingKept(openInvoices);

/** What is to be done, the disk's room first; each fills its part of the result. */
function choresOf(options: RetentionOptions, result: RetentionResult): Chores {
  const { db, personalDataMs, dryRun = false, onDone } = options;
  const { before } = result;
  const looking: Chores = {
    old_callbacks: () => dropPartitions(options, result),
    async kept_callbacks() {
      result.stragglers = await dropStragglers(db, { before, dryRun });
      await note(options, { before, callbacks: result.stragglers });
    },
    async unknown_ids() {
      result.unknownConfirmations = await deleteForgotten(options);
      await note(options, { before, confirmations: result.unknownConfirmations });
    },
    // A command that does not know the setting says nothing of what `serve` fails at.
    ...((personalDataMs !== undefined || onDone !== undefined) && {
      async personal_data() {
        if (personalDataMs === undefined) return null;
        result.personalData = dryRun
          ? await countOutdated(db, personalDataMs)
          : await eraseOutdated({ ...options, ageMs: personalDataMs });
        return result.personalData.stuck;
      },
    }),
  };
  return dryRun
    ? looking
    : {
        ...looking,
        history: () => dropHistory(db, before),
      };
}

/** Fills `result.partitions`, and `result.stays`. @returns why one stays. */
async function dropPartitions(options: RetentionOptions, result: RetentionResult): Promise<string | null> {
  const { db, dryRun } = options;
  let problem: string | null = null;
  for (const partition of await partitionsBefore(db, result.before)) {
    try {
      const dropped = dryRun
        ? await look(db, partition)
        : await whenNotBusy(TRIES, () => drop(options, partition));
      result.partitions.push({ ...partition, ...dropped });
    } catch (error) {
      const { name } = partition;
      const why = isLockTimeout(error) ? "busy" : isNotAllowed(error) ? "not_allowed" : null;
      // One month that cannot be dropped keeps no other.
      if (why === null) {
        if (dryRun) throw error;
        problem ??= `the partition ${name} stays: ${messageOf(error)}`;
        continue;
      }
      result.stays = { name, why };
      return why === "busy"
        ? `the partition ${name} is busy`
        : `the partition ${name} stays: this database user may not drop it`;
    }
  }
  return problem;
}

const look = (db: Database, partition: OldPartition) =>
  inKeyOrder(db, async (trx) => ({
    callbacks: await sizeOf(trx, partition),
    kept: (await findKept(trx, partition)).length,
  }));

async function drop({ db, actor, reason }: RetentionOptions, partition: OldPartition) {
  const dropped = await inKeyOrder(db, async (trx) => {
    const kept = await findKept(trx, partition);
    const detail = { callbacks: await sizeOf(trx, partition), kept: kept.length };
    const subject = partition.name;
    await audit(trx, [{ actor, action: "retention", subject, invoiceId: null, detail, reason }]);
    await dropPartition(trx, partition, kept);
    failpoint("partition to be dropped");
    return detail;
  });
  failpoint("partition dropped");
  return dropped;
}

async function deleteForgotten({ db, dryRun = false, stop }: RetentionOptions): Promise<number> {
  let gone = 0;
  for await (const some of forgottenConfirmations(db, await readUnknownKeptSince(db))) {
    if (stop?.aborted === true) break;
    if (some.length > 0 && !dryRun) failpoint("forgotten confirmations to be deleted");
    gone += dryRun || some.length === 0 ? some.length : await deleteUnknown(db, some);
    if (some.length > 0 && !dryRun) failpoint("forgotten confirmations deleted");
  }
  return gone;
}

async function note(
  { db, actor, reason, dryRun }: RetentionOptions,
  detail: { before: Date; callbacks?: number; confirmations?: number },
): Promise<void> {
  if (dryRun || (detail.callbacks ?? 0) + (detail.confirmations ?? 0) === 0) return;
  const subject = "callback_default";
  await audit(db, [{ actor, action: "retention", subject, invoiceId: null, detail, reason }]);
}
