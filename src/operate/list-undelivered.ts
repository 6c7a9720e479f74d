import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/**
 * What was not delivered and waits for a person: dead letters (confirmations and events that were given up),
 * or invoices in quarantine.
 */
export type UndeliveredList = "dead" | "quarantine";

export interface UndeliveredFilters {
  /** Of dead letters only. */
  kind?: "confirmation" | "event" | undefined;
  source?: string | undefined;
  /** The collection's name, as invoices carry it. */
  collection?: string | undefined;
  /** ISO 8601, inclusive: since when it has been waiting. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
}

/**
 * Either some by invoice id or event id, dismissed ones too, or all that filters match and nobody dismissed.
 */
export type UndeliveredSelection =
  | { ids: readonly string[] /** All sources when left out. */; source?: string | undefined }
  | { filters: UndeliveredFilters };

export interface UndeliveredItem {
  kind: "confirmation" | "event";
  invoiceId: string;
  /** null for a confirmation. */
  eventId: string | null;
  source: string;
  collection: string | null;
  /** The merchant's own. */
  reference: string | null;
  /** In total, as a decimal string; both as the provider last confirmed them. */
  amount: string | null;
  /** Since when it has been waiting; for an event, its last try. */
  since: Date;
  /** Answers that spent a step of the ladder, or tries to send. */
  attempts: number;
  error: string | null;
  /** null unless an operator dismissed it since. */
  dismissedAt: Date | null;
}

const CONFIRMATIONS: Record<UndeliveredList, RawBuilder<unknown>> = {
  dead: sql`confirmation.state = 'dead'`,
  quarantine: sql`confirmation.verdict = 'quarantined' and confirmation.released_at is null`,
};

// A confirmation that was decided again after it was dismissed is news: it is listed again.
const confirmations = (list: UndeliveredList) => sql`
  select 'confirmation' as kind, confirmation.invoice_id as "invoiceId", null::uuid as "eventId",
    confirmation.source, invoice.collection_name as collection,
    invoice.reference, invoice.total_amount as amount,
    coalesce(confirmation.settled_at, confirmation.requested_at) as since, confirmation.attempt as attempts,
    confirmation.last_error as error,
    case when confirmation.dismissed_at >= confirmation.settled_at then confirmation.dismissed_at end
      as "dismissedAt"
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where ${CONFIRMATIONS[list]}`;

const events = sql`
  select 'event' as kind, event.invoice_id as "invoiceId", event.id as "eventId", event.source,
    event.collection_name as collection, invoice.reference, invoice.total_amount as amount,
    outbox.due_at as since, outbox.attempt as attempts,
    outbox.last_error as error, outbox.dismissed_at as "dismissedAt"
  from outbox join event on event.source = outbox.source and event.id = outbox.event_id
  left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
  where outbox.state = 'dead'`;

const itemsOf = (list: UndeliveredList) =>
  list === "dead" ? sql`${confirmations(list)} union all ${events}` : confirmations(list);

function chosen(selection: UndeliveredSelection): RawBuilder<unknown> {
  if ("ids" in selection)
    return sql`("invoiceId" = any(${selection.ids}::uuid[]) or "eventId" = any(${selection.ids}::uuid[]))
      and source = coalesce(${selection.source ?? null}, source)`;
  const { kind, source, collection, from, to } = selection.filters;
  return sql`"dismissedAt" is null and kind = coalesce(${kind ?? null}, kind)
    and source = coalesce(${source ?? null}, source)
    and (${collection ?? null}::text is null or collection = ${collection ?? null})
    and since >= coalesce(${from ?? null}::timestamptz, '-infinity')
    and since < coalesce(${to ?? null}::timestamptz, 'infinity')`;
}

/** The oldest first, and how many there are in all. */
export async function listUndelivered({
  db,
  list,
  selection = { filters: {} },
  limit = 50,
}: {
  db: Kysely<Tables>;
  list: UndeliveredList;
  selection?: UndeliveredSelection;
  limit?: number;
}): Promise<{ total: number; items: UndeliveredItem[] }> {
  const { rows } = await sql<UndeliveredItem & { total: number }>`
    select *, count(*) over () as total from (${itemsOf(list)}) as undelivered where ${chosen(selection)}
    order by since, "invoiceId", source, kind limit ${limit}`.execute(db);
  return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...item }) => item) };
}
