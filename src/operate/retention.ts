import { type Kysely, sql } from "kysely";
import type { ConfirmationKey } from "../confirmations/confirmation.ts";
import { deleteUnknown } from "../confirmations/delete-unknown.ts";
import { audit } from "../database/audit.ts";
import { dropHistory } from "../database/history.ts";
import type { Tables } from "../database/tables.ts";
import {
  countPartition,
  countStragglers,
  deleteStragglers,
  dropPartition,
  firstOfMonthBefore,
  isBusy,
  type OldPartition,
  partitionsBefore,
} from "../record/drop-callbacks.ts";
import { deleteReadings } from "../replay/callback-readings.ts";
import { eraseOutdated, type OutdatedResult } from "./erase-outdated.ts";
import { forgottenConfirmations, openInvoices } from "./open-invoices.ts";

export interface RetentionOptions {
  db: Kysely<Tables>;
  actor: string;
  /** How long callbacks are kept, in ms. */
  retentionMs: number;
  /** How long personal data is kept, in ms; for ever when left out. */
  personalDataMs?: number | undefined;
  dryRun?: boolean | undefined;
}

/** What becomes of one month of the log that is past its time. */
export interface DroppedPartition extends OldPartition {
  callbacks: number;
  /** Of these, those of invoices that are still open: they move to the default partition and stay. */
  kept: number;
}

export interface RetentionResult {
  dryRun: boolean;
  /** Callbacks from before this moment leave: the first of a month. */
  before: Date;
  partitions: DroppedPartition[];
  /** Old callbacks in the default partition that leave. */
  stragglers: number;
  /** Confirmations that ended in `unknown_invoice` and whose callbacks have left. */
  unknownConfirmations: number;
  /** What PERSONAL_DATA_RETENTION blanked; null without it. */
  personalData: OutdatedResult | null;
  /** A partition that was busy; the next run takes it. */
  busy: string | null;
}

const AT_ONCE = 5_000;

/**
 * Drops whole months of the log that are older than `retentionMs`. Callbacks of invoices that are still open (a
 * confirmation not done, one in quarantine that nobody released or dismissed, an event neither published nor
 * dismissed) move to the default partition first, and leave once that is over. Confirmations and events stay for
 * ever, except confirmations of invoices that nobody knows.
 */
export async function applyRetention(options: RetentionOptions): Promise<RetentionResult> {
  const { db, actor, retentionMs, personalDataMs, dryRun = false } = options;
  const personalData =
    personalDataMs === undefined ? null : await eraseOutdated({ db, actor, ageMs: personalDataMs, dryRun });
  const before = await firstOfMonthBefore(db, retentionMs);
  const partitions: DroppedPartition[] = [];
  const nothing = {
    dryRun,
    before,
    partitions,
    stragglers: 0,
    unknownConfirmations: 0,
    busy: null,
    personalData,
  };
  for (const partition of await partitionsBefore(db, before)) {
    const counts = await countPartition(db, partition.name, openInvoices);
    try {
      if (!dryRun) await drop(db, actor, partition, counts);
    } catch (error) {
      if (!isBusy(error)) throw error;
      return { ...nothing, busy: partition.name };
    }
    partitions.push({ ...partition, ...counts });
  }
  const stragglers = await (dryRun ? countStragglers : deleteStragglers)(db, before, openInvoices);
  const unknownConfirmations = await (dryRun ? countForgotten : deleteForgotten)(db, before);
  if (!dryRun) await dropHistory(db, before);
  if (!dryRun && stragglers + unknownConfirmations > 0) {
    const detail = { before, callbacks: stragglers, confirmations: unknownConfirmations };
    await audit(db, [{ actor, action: "retention", subject: "callback_default", invoiceId: null, detail }]);
  }
  return { ...nothing, stragglers, unknownConfirmations };
}

function drop(
  db: Kysely<Tables>,
  actor: string,
  { name, to }: OldPartition,
  detail: { callbacks: number; kept: number },
): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await dropPartition(trx, name, openInvoices);
    await deleteReadings(trx, to);
    await audit(trx, [{ actor, action: "retention", subject: name, invoiceId: null, detail }]);
  });
}

async function countForgotten(db: Kysely<Tables>, before: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${forgottenConfirmations(before)}) as forgotten`.execute(db);
  return rows[0]?.count ?? 0;
}

async function deleteForgotten(db: Kysely<Tables>, before: Date): Promise<number> {
  for (let gone = 0; ; ) {
    const { rows } = await sql<ConfirmationKey>`
      ${forgottenConfirmations(before)} limit ${AT_ONCE}`.execute(db);
    gone += await deleteUnknown(db, rows, before);
    if (rows.length < AT_ONCE) return gone;
  }
}
