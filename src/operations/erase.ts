import type { Transaction } from "kysely";
import { z } from "zod";
import {
  eraseConfirmations,
  erasePayments,
  listUncheckedErased,
  markErased,
  noteChecked,
} from "../pipeline/confirm/index.ts";
import { eraseEvents } from "../pipeline/publish/index.ts";
import { eraseByReference, eraseCallbacks } from "../pipeline/receive/index.ts";
import { audit, type ByHand } from "../platform/audit/index.ts";
import { type Database, type Tables, timeBefore } from "../platform/database/index.ts";
import { messageOf } from "../platform/errors/index.ts";
import { failpoint } from "../platform/process/index.ts";
import { listUpstreams, SOURCE } from "../platform/upstreams/index.ts";
import { answeredId, time, whole } from "./list/fields.ts";
import { outdatedInvoices } from "./open-invoices.ts";

export const erased = z.object({
  dryRun: z.boolean(),
  invoiceId: answeredId,
  found: z.boolean().describe("Whether anything is stored about this invoice, erased or not."),
  callbacks: whole,
  snapshots: whole,
  invoices: whole,
  events: whole,
  confirmations: whole,
});
type Erased = Omit<z.output<typeof erased>, "dryRun">;

/**
 * Blanks the personal data of one invoice in all sources: in the log, the invoice, its snapshots, its events
 * and the evidence; ids, amounts and digests are kept. A mark keeps later callbacks and answers from bringing
 * the data back. Audited each time, unless nothing is stored about the invoice: then nothing is changed.
 */
export async function eraseInvoice({
  db,
  actor,
  invoiceId,
  reason,
  dryRun = false,
}: ByHand & {
  invoiceId: string;
  dryRun?: boolean | undefined;
}): Promise<Erased & { dryRun: boolean }> {
  const transaction = await db.startTransaction().execute();
  try {
    const erased = await eraseEverything(transaction, invoiceId);
    const detail = { ...erased, invoiceId: undefined };
    const entry = { actor, action: "erase", subject: invoiceId, invoiceId, detail, reason };
    if (erased.found) await audit(transaction, [entry]);
    // A dry run does it and rolls back, which is the most accurate report.
    await (dryRun || !erased.found ? transaction.rollback() : transaction.commit()).execute();
    return { ...erased, dryRun };
  } catch (error) {
    if (!transaction.isCommitted && !transaction.isRolledBack) await transaction.rollback().execute();
    throw error;
  }
}

/** Does the same as `eraseInvoice` without writing an audit entry. */
async function eraseEverything(trx: Transaction<Tables>, invoiceId: string): Promise<Erased> {
  const isNew = await markErased(trx, invoiceId);
  // Before the rest: this waits for answers being stored, so that their data is erased below as well.
  const confirmations = await eraseConfirmations(trx, invoiceId);
  const callbacks = await eraseCallbacks(trx, invoiceId);
  const served = (await listUpstreams(trx, SOURCE)).map(({ name }) => name);
  const sources = [...new Set([...served, ...confirmations.found, ...callbacks.sources])];
  const payments = await erasePayments(trx, invoiceId, sources);
  const byReference = await eraseByReference(trx, payments.references);
  const events = await eraseEvents(trx, invoiceId, sources);
  return {
    invoiceId,
    found: !isNew || confirmations.found.length + callbacks.found + payments.found + events.found > 0,
    confirmations: confirmations.blanked,
    callbacks: callbacks.blanked + byReference,
    invoices: payments.invoices,
    snapshots: payments.snapshots,
    events: events.blanked,
  };
}

const CHECKED_AT_ONCE = 100;

/**
 * Checks invoices again that were erased some time ago: a callback that was being recorded just then may not have
 * seen the mark. An invoice that fails does not stop the others. Call it regularly.
 * @returns how many callbacks it blanked.
 * @throws the error of the first invoice that could not be blanked, after all others are.
 */
export async function checkErased(db: Database): Promise<number> {
  let callbacks = 0;
  let stuck: Error | null = null;
  for (const invoiceId of await listUncheckedErased(db, CHECKED_AT_ONCE)) {
    try {
      callbacks += await db.transaction().execute(async (trx) => {
        const erased = await eraseEverything(trx, invoiceId);
        await noteChecked(trx, invoiceId);
        return erased.callbacks;
      });
    } catch (error) {
      stuck ??= new Error(`invoice ${invoiceId} could not be blanked: ${messageOf(error)}`, { cause: error });
    }
  }
  if (stuck !== null) throw stuck;
  return callbacks;
}

/** About the most invoices in one run; the next run continues. */
const RUN_LIMIT = 5_000;

/** After so many in a row the cause is none of an invoice's own. */
const FAILURE_LIMIT = 20;

/** The data that PERSONAL_DATA_RETENTION blanks. */
export const outdatedResult = z.object({
  before: time.describe("Invoices last settled before this time lose their personal data."),
  invoices: whole,
  more: z.boolean().describe("Whether more are left."),
  stuck: z
    .string()
    .nullable()
    .describe("The first one that could not be blanked, and why; null when all could."),
});
type OutdatedResult = z.output<typeof outdatedResult>;

/**
 * Erases personal data older than PERSONAL_DATA_RETENTION, as `erase` does; open invoices are skipped. An
 * invoice that fails does not stop the others.
 */
export async function eraseOutdated({
  db,
  actor,
  reason,
  ageMs,
  stop,
}: ByHand & {
  /** PERSONAL_DATA_RETENTION, in ms. */
  ageMs: number;
  /** Ends it after the invoice under way; the next run goes on. */
  stop?: AbortSignal | undefined;
}): Promise<OutdatedResult> {
  const before = await timeBefore(db, ageMs);
  let invoices = 0;
  let inARow = 0;
  let stuck: string | null = null;
  const isEnough = () => inARow >= FAILURE_LIMIT || stop?.aborted === true;
  for await (const some of outdatedInvoices(db, before)) {
    for (const invoiceId of new Set(some.map((one) => one.invoiceId))) {
      if (isEnough()) break;
      try {
        await eraseOne(db, invoiceId);
        invoices += 1;
        inARow = 0;
      } catch (error) {
        inARow += 1;
        stuck ??= `invoice ${invoiceId} could not be blanked: ${messageOf(error)}`;
      }
    }
    if (invoices >= RUN_LIMIT || isEnough()) break;
  }
  if (invoices > 0) {
    const detail = { before, invoices };
    const action = "retention.personal_data";
    await audit(db, [{ actor, action, subject: "invoice", invoiceId: null, detail, reason }]);
  }
  return { before, invoices, more: invoices >= RUN_LIMIT, stuck };
}

async function eraseOne(db: Database, invoiceId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await eraseEverything(trx, invoiceId);
    failpoint("personal data to be blanked");
  });
  failpoint("personal data blanked");
}
