import { type RawBuilder, sql } from "kysely";
import { stayedUnknown } from "../confirmations/delete-unknown.ts";

/**
 * A query: source and invoice_id of everything that is still open, whose callbacks are kept. There are few of
 * these, found by state to match the indexes. Held Test events do not count as open.
 */
export const openInvoices: RawBuilder<unknown> = sql`
  select source, invoice_id from confirmation where state = 'due'
  union select source, invoice_id from confirmation where state = 'claimed'
  union select source, invoice_id from confirmation
    where state = 'dead' and not coalesce(dismissed_at >= settled_at, false)
  union select source, invoice_id from confirmation
    where verdict = 'quarantined' and released_at is null and not coalesce(dismissed_at >= settled_at, false)
  union select event.source, event.invoice_id from outbox
    join event on event.source = outbox.source and event.id = outbox.event_id
    where outbox.state in ('due', 'claimed') or (outbox.state = 'dead' and outbox.dismissed_at is null)`;

/**
 * A query: source and invoiceId of confirmations that stayed unknown and have neither invoice nor event.
 */
export const forgottenConfirmations: RawBuilder<unknown> = sql`
  select confirmation.source, confirmation.invoice_id as "invoiceId" from confirmation
  where ${stayedUnknown}
    and not exists (select from invoice
      where invoice.source = confirmation.source and invoice.id = confirmation.invoice_id)
    and not exists (select from event
      where event.source = confirmation.source and event.invoice_id = confirmation.invoice_id)`;

/**
 * A query: ids of invoices last confirmed before this time that still contain personal data and are not
 * open.
 */
export const outdatedInvoices = (before: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select distinct invoice.id from invoice
  where invoice.erased_at is null and invoice.confirmed_at < ${before}
    and not exists (select from (${openInvoices}) as open (source, invoice_id)
      where open.source = invoice.source and open.invoice_id = invoice.id)`;
