import { type Kysely, sql } from "kysely";
import { deleteUnknown } from "../confirmations/delete-unknown.ts";
import { audit } from "../database/audit.ts";
import { dropHistory } from "../database/history.ts";
import { isLockTimeout, isNotAllowed } from "../database/postgres-errors.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import {
  countPartition,
  countStragglers,
  deleteStragglers,
  dropPartition,
  firstOfMonthBefore,
  type OldPartition,
  partitionsBefore,
} from "../record/drop-callbacks.ts";
import { whenNotBusy } from "../record/when-not-busy.ts";
import { deleteReadings } from "../replay/callback-readings.ts";
import { eraseOutdated, type OutdatedResult } from "./erase-outdated.ts";
import { forgottenConfirmations, openInvoices } from "./open-invoices.ts";

export interface RetentionOptions {
  db: Kysely<Tables>;
  actor: string;
  /** How long callbacks are kept, in ms. */
  retentionMs: number;
  /** How long personal data is kept, in ms; for ever by default. */
  personalDataMs?: number | undefined;
  /** Why, for the audit log; no personal data. */
  reason?: string | undefined;
  dryRun?: boolean | undefined;
}

/** One month of the log that is past its retention. */
export interface DroppedPartition extends OldPartition {
  callbacks: number;
  /** Callbacks of open invoices among them: they move to the default partition and are kept. */
  kept: number;
}

export interface RetentionResult {
  dryRun: boolean;
  /** Callbacks from before this time are dropped: the first of a month. */
  before: Date;
  partitions: DroppedPartition[];
  /** Old callbacks in the default partition that are dropped. */
  stragglers: number;
  /** Confirmations of ids that stayed unknown for a week. Their callbacks are kept as long as all others. */
  unknownConfirmations: number;
  /**
   * A partition that could not be dropped; the next run tries again. `not_allowed`: this database user may
   * not drop it.
   */
  stays: { name: string; why: "busy" | "not_allowed" } | null;
  /** What PERSONAL_DATA_RETENTION blanked; null without it. */
  personalData: OutdatedResult | null;
}

const AT_ONCE = 5_000;

/** How often to try to drop a partition of a busy log. */
const TRIES = 3;

/**
 * Drops whole months of the log that are older than `retentionMs`. Callbacks of open invoices (a confirmation
 * not done, or in quarantine and neither released nor dismissed, or an event neither published nor dismissed)
 * move to the default partition first and are dropped once the invoice is no longer open. Confirmations and
 * events are kept for ever, except confirmations of invoices that stayed unknown for a week.
 */
export async function applyRetention(options: RetentionOptions): Promise<RetentionResult> {
  const { db, actor, reason, retentionMs, personalDataMs, dryRun = false } = options;
  const personalData =
    personalDataMs === undefined
      ? null
      : await eraseOutdated({ db, actor, reason, ageMs: personalDataMs, dryRun });
  const before = await firstOfMonthBefore(db, retentionMs);
  const unknownConfirmations = await (dryRun ? countForgotten : deleteForgotten)(db);
  const { partitions, stays } = await dropPartitions(options, await partitionsBefore(db, before));
  const stragglers = await (dryRun ? countStragglers : deleteStragglers)(db, before, openInvoices);
  if (!dryRun) await deleteReadings(db, before);
  if (!dryRun) await dropHistory(db, before);
  if (!dryRun && stragglers + unknownConfirmations > 0) {
    const detail = { before, callbacks: stragglers, confirmations: unknownConfirmations };
    const subject = "callback_default";
    await audit(db, [{ actor, action: "retention", subject, invoiceId: null, detail, reason }]);
  }
  return { dryRun, before, partitions, stragglers, unknownConfirmations, personalData, stays };
}

async function dropPartitions(
  { db, actor, reason, dryRun }: RetentionOptions,
  old: readonly OldPartition[],
): Promise<Pick<RetentionResult, "partitions" | "stays">> {
  const partitions: DroppedPartition[] = [];
  for (const partition of old) {
    const counts = await countPartition(db, partition, openInvoices);
    try {
      if (dryRun !== true) await whenNotBusy(TRIES, () => drop(db, { actor, reason }, partition, counts));
    } catch (error) {
      const { name } = partition;
      if (isLockTimeout(error)) return { partitions, stays: { name, why: "busy" } };
      if (isNotAllowed(error)) return { partitions, stays: { name, why: "not_allowed" } };
      throw error;
    }
    partitions.push({ ...partition, ...counts });
  }
  return { partitions, stays: null };
}

async function drop(
  db: Kysely<Tables>,
  by: Pick<RetentionOptions, "actor" | "reason">,
  partition: OldPartition,
  detail: { callbacks: number; kept: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await audit(trx, [{ ...by, action: "retention", subject: partition.name, invoiceId: null, detail }]);
    await dropPartition(trx, partition, openInvoices);
    step("partition to be dropped");
  });
  step("partition dropped");
}

const counting = new Statement(
  { count: returned.count },
  () => sql`select count(*) as count from (${forgottenConfirmations}) as forgotten`,
);

async function countForgotten(db: Kysely<Tables>): Promise<number> {
  const [row] = await counting.execute(db);
  return row?.count ?? 0;
}

const selecting = new Statement(
  { source: returned.text(), invoiceId: returned.uuid },
  ({ value }: Slots<{ most: number }>) => sql`${forgottenConfirmations} limit ${value(({ most }) => most)}`,
);

async function deleteForgotten(db: Kysely<Tables>): Promise<number> {
  for (let gone = 0; ; ) {
    const rows = await selecting.execute(db, { most: AT_ONCE });
    if (rows.length > 0) step("forgotten confirmations to be deleted");
    gone += await deleteUnknown(db, rows);
    if (rows.length > 0) step("forgotten confirmations deleted");
    if (rows.length < AT_ONCE) return gone;
  }
}
