import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { readPayment } from "../confirm/invoices/read-invoices.ts";
import { readConfirmation } from "../confirm/queue/read-confirmations.ts";
import { nullable, type RowOf, returned, VaryingStatement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import type { Mask } from "../kit/mask.ts";
import { readEvent } from "../publish/read-events.ts";
import { callbacksAbout } from "../receive/log/list-callbacks.ts";
import { collection, source, timeGiven } from "./operations/fields.ts";

/**
 * Undelivered items that wait for a person: dead letters (confirmations and events that were given up), or
 * invoices in quarantine.
 */
export type UndeliveredList = "dead" | "quarantine";

export const undeliveredFilters = z.strictObject({
  kind: z.enum(["confirmation", "event"]).optional().describe("only confirmations, or only events"),
  source,
  collection,
  from: timeGiven.optional().describe("only those waiting since this time (UTC) or later"),
  to: timeGiven.optional().describe("only those waiting since before this time (UTC)"),
});

type UndeliveredFilters = Partial<z.output<typeof undeliveredFilters>>;

/**
 * Either by invoice or event id, including dismissed items, or everything that the filters match and nobody
 * has dismissed.
 */
export type UndeliveredSelection =
  | { ids: readonly string[] /** All sources by default. */; source?: string | undefined }
  | { filters: UndeliveredFilters };

const ITEM = {
  kind: returned.text<"confirmation" | "event">(),
  invoiceId: returned.uuid,
  /** null for a confirmation. */
  eventId: nullable(returned.uuid),
  source: returned.text(),
  collection: nullable(returned.text()),
  /** The merchant's reference. */
  reference: nullable(returned.text()),
  /** The total, as a decimal string; this and the reference are as last confirmed. */
  amount: nullable(returned.numeric),
  /** Waiting since; for an event, its last attempt. */
  since: returned.time,
  /** Answers that used up a step of the ladder, or attempts to send. */
  attempts: returned.integer,
  error: nullable(returned.text()),
  /** null unless an operator has dismissed it. */
  dismissedAt: nullable(returned.time),
};

export type UndeliveredItem = RowOf<typeof ITEM>;

const CONFIRMATIONS: Record<UndeliveredList, RawBuilder<unknown>> = {
  dead: sql`confirmation.state = 'dead'`,
  quarantine: sql`confirmation.verdict = 'quarantined' and confirmation.released_at is null`,
};

// A confirmation that was decided again after it was dismissed is listed again.
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

interface Listing {
  list: UndeliveredList;
  selection: UndeliveredSelection;
  limit: number;
}

const selectUndelivered = new VaryingStatement(
  { ...ITEM, total: returned.count },
  ({ list, selection, limit }: Listing) => sql`
    select *, count(*) over () as total from (${itemsOf(list)}) as undelivered where ${chosen(selection)}
    order by since, "invoiceId", source, kind limit ${limit}`,
  [
    { list: "dead", selection: { ids: [] }, limit: 1 },
    { list: "quarantine", selection: { filters: {} }, limit: 1 },
  ],
);

/** Oldest first, and the total count. */
export async function listUndelivered({
  db,
  list,
  selection = { filters: {} },
  limit = 50,
}: {
  db: Database;
  list: UndeliveredList;
  selection?: UndeliveredSelection;
  limit?: number;
}): Promise<{ total: number; items: UndeliveredItem[] }> {
  const rows = await selectUndelivered.execute(db, { list, selection, limit });
  return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...item }) => item) };
}

type Evidence = Awaited<ReturnType<typeof withEvidence>>;

/**
 * @param id of an invoice or event
 * @param source by default all that know the id
 * @returns nothing when it is not in that list.
 */
export async function showUndelivered({
  db,
  list,
  id,
  source,
  personal = (text) => text,
}: {
  db: Database;
  list: UndeliveredList;
  id: string;
  source?: string | undefined;
  /** Takes out what its reader may not see of people. */
  personal?: Mask;
}): Promise<Evidence[]> {
  return await inSnapshot(db, async (snapshot) => {
    const { items } = await listUndelivered({ db: snapshot, list, selection: { ids: [id], source } });
    const found: Evidence[] = [];
    for (const item of items) found.push(await withEvidence(snapshot, item, personal));
    return found;
  });
}

async function withEvidence(db: Database, item: UndeliveredItem, personal: Mask) {
  const { eventId, source } = item;
  const confirmation = await readConfirmation(db, item);
  const event = eventId === null ? null : await readEvent(db, { id: eventId, source });
  return {
    ...item,
    confirmation: confirmation && {
      ...confirmation,
      lastAnswer: confirmation.lastAnswer && personal(confirmation.lastAnswer),
    },
    event: event && { ...event, payload: personal(event.payload) },
    invoice: await readPayment(db, item),
    callbacks: await callbacksAbout(db, item),
  };
}
