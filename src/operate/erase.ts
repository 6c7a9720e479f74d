import type { Kysely, Transaction } from "kysely";
import { eraseConfirmations, reopenedSinceErased } from "../confirmations/erase.ts";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { eraseEvents } from "../outbox/erase-events.ts";
import { erasePayments } from "../payments/erase-payments.ts";
import { eraseCallbacks } from "../record/erase-callbacks.ts";
import { readingsAbout } from "../replay/callback-readings.ts";
import { listUpstreams } from "../upstreams/list-upstreams.ts";
import { SOURCE } from "../upstreams/upstream-kind.ts";

/** What was blanked; zeros when there was nothing left to blank. */
export interface Erased {
  invoiceId: string;
  /** Whether anything is kept about this invoice at all, erased or not. */
  found: boolean;
  callbacks: number;
  snapshots: number;
  invoices: number;
  events: number;
  confirmations: number;
}

/**
 * Blanks the personal data of one invoice, whichever sources see it: in the log, the invoice, its snapshots,
 * its events and the evidence; ids, amounts and a digest of what stood there stay. The mark on the
 * confirmations keeps later answers from bringing anything back. Asked for once more, it erases what came
 * since; it is audited each time.
 */
export async function eraseInvoice({
  db,
  actor,
  invoiceId,
  reason,
  dryRun = false,
}: {
  db: Kysely<Tables>;
  actor: string;
  invoiceId: string;
  /** Why, for the audit log; no personal data. */
  reason?: string | undefined;
  /** Only say what it would blank. */
  dryRun?: boolean | undefined;
}): Promise<Erased & { dryRun: boolean }> {
  const transaction = await db.startTransaction().execute();
  try {
    const erased = await eraseEverything(transaction, invoiceId);
    const { invoiceId: subject, ...detail } = erased;
    await audit(transaction, [{ actor, action: "erase", subject, invoiceId, detail, reason }]);
    // Tried out and taken back: nothing tells better what it would do.
    await (dryRun ? transaction.rollback() : transaction.commit()).execute();
    return { ...erased, dryRun };
  } catch (error) {
    if (!transaction.isCommitted && !transaction.isRolledBack) await transaction.rollback().execute();
    throw error;
  }
}

/** What `eraseInvoice` does, without an entry in the audit log. */
export async function eraseEverything(trx: Transaction<Tables>, invoiceId: string): Promise<Erased> {
  // The confirmations first: an answer under way holds their lock, and what it wrote is seen below.
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
 * Blanks what came about erased invoices since: a callback is recorded as it comes, since nothing may hold up
 * its answer. To be called now and then.
 * @returns how many callbacks it blanked.
 */
export async function eraseWhatCameSince(db: Kysely<Tables>): Promise<number> {
  let callbacks = 0;
  for (const invoiceId of await reopenedSinceErased(db, AT_ONCE)) {
    const erased = await db.transaction().execute((trx) => eraseEverything(trx, invoiceId));
    callbacks += erased.callbacks;
  }
  return callbacks;
}
