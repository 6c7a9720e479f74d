import type { Kysely, Transaction } from "kysely";
import { eraseConfirmations, reopenedSinceErased } from "../confirmations/erase.ts";
import { audit, type ByHand } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import { eraseEvents } from "../outbox/erase-events.ts";
import { erasePayments } from "../payments/erase-payments.ts";
import { eraseCallbacks } from "../record/erase-callbacks.ts";
import { readingsAbout } from "../replay/callback-readings.ts";
import { listUpstreams } from "../upstreams/list-upstreams.ts";
import { SOURCE } from "../upstreams/upstream-kind.ts";

/** What was blanked; all zero when nothing was left to blank. */
export interface Erased {
  invoiceId: string;
  /** Whether anything is stored about this invoice, erased or not. */
  found: boolean;
  callbacks: number;
  snapshots: number;
  invoices: number;
  events: number;
  confirmations: number;
}

/**
 * Blanks the personal data of one invoice in all sources: in the log, the invoice, its snapshots, its events
 * and the evidence; ids, amounts and digests are kept. A mark on the confirmations stops later answers from
 * bringing the data back. Repeated, it erases what has come in since. Audited each time.
 */
export async function eraseInvoice({
  db,
  actor,
  invoiceId,
  reason,
  dryRun = false,
}: ByHand & {
  invoiceId: string;
  /** Only report what would be blanked. */
  dryRun?: boolean | undefined;
}): Promise<Erased & { dryRun: boolean }> {
  const transaction = await db.startTransaction().execute();
  try {
    const erased = await eraseEverything(transaction, invoiceId);
    const { invoiceId: subject, ...detail } = erased;
    await audit(transaction, [{ actor, action: "erase", subject, invoiceId, detail, reason }]);
    // A dry run does it and rolls back, which is the most accurate report.
    await (dryRun ? transaction.rollback() : transaction.commit()).execute();
    return { ...erased, dryRun };
  } catch (error) {
    if (!transaction.isCommitted && !transaction.isRolledBack) await transaction.rollback().execute();
    throw error;
  }
}

/** Does the same as `eraseInvoice` without writing an audit entry. */
export async function eraseEverything(trx: Transaction<Tables>, invoiceId: string): Promise<Erased> {
  // Confirmations first: this waits for answers being stored, so that their data is erased below as well.
  const confirmations = await eraseConfirmations(trx, invoiceId);
  const callbacks = await eraseCallbacks(trx, invoiceId, readingsAbout(invoiceId));
  const served = (await listUpstreams(trx, SOURCE)).map(({ name }) => name);
  const sources = [...new Set([...served, ...confirmations.found, ...callbacks.sources])];
  const payments = await erasePayments(trx, invoiceId, sources);
  const events = await eraseEvents(trx, invoiceId, sources);
  return {
    invoiceId,
    found: confirmations.found.length + callbacks.found + payments.found + events.found > 0,
    confirmations: confirmations.blanked,
    callbacks: callbacks.blanked,
    invoices: payments.invoices,
    snapshots: payments.snapshots,
    events: events.blanked,
  };
}

const AT_ONCE = 100;

/**
 * Blanks callbacks that came in about invoices after these were erased: recording does not check for that,
 * because nothing may delay the response. One that fails stops no other. Call it regularly.
 * @returns how many callbacks it blanked.
 * @throws what came up at the first invoice that could not be blanked, when all others are.
 */
export async function eraseWhatCameSince(db: Kysely<Tables>): Promise<number> {
  let callbacks = 0;
  let stuck: Error | null = null;
  for (const invoiceId of await reopenedSinceErased(db, AT_ONCE)) {
    try {
      const erased = await db.transaction().execute((trx) => eraseEverything(trx, invoiceId));
      callbacks += erased.callbacks;
    } catch (error) {
      stuck ??= new Error(`invoice ${invoiceId} could not be blanked: ${messageOf(error)}`, { cause: error });
    }
  }
  if (stuck !== null) throw stuck;
  return callbacks;
}
