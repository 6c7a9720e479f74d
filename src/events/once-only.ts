import type { InvoicePaid } from "./invoice-paid.ts";

/** Remembers which events were handled. `Transaction` is what it hands to the handler. */
export interface OnceOnlyStore<Transaction> {
  /**
   * Runs `work` unless it ran to its end for this id before. Two at once never both run: the second waits for
   * the first, and runs only when that one failed.
   */
  once(id: string, work: (transaction: Transaction) => Promise<void>): Promise<"handled" | "duplicate">;
}

/**
 * Handles an event once, however often it is delivered: SNS, SQS and a replay all deliver at least once, each
 * copy with the same `event.id`. When the handler throws, nothing is remembered and the error goes on to the
 * caller, so that the event is delivered again.
 *
 * What it promises is the store's: with `postgresOnceOnly`, what the handler writes through the transaction
 * it is given happens exactly once, whatever crashes. What the handler does elsewhere (a mail, another
 * service) happens at least once: give the other side `event.id` as its idempotency key.
 */
export function onceOnly<Transaction>(
  store: OnceOnlyStore<Transaction>,
  event: InvoicePaid,
  handler: (event: InvoicePaid, transaction: Transaction) => Promise<void>,
): Promise<"handled" | "duplicate"> {
  return store.once(event.id, (transaction) => handler(event, transaction));
}
