import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** What waits for a person: dead letters (questions and events), or invoices in quarantine. */
export type AsideList = "dead" | "quarantine";

export interface AsideFilters {
  /** Of dead letters only. */
  kind?: "question" | "event" | undefined;
  source?: string | undefined;
  /** The collection's name, as invoices carry it. */
  collection?: string | undefined;
  /** ISO 8601, inclusive: since when it has been aside. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
}

/** Either some by invoice id or event id, dismissed ones too, or all that filters match and nobody dismissed. */
export type AsideSelection = { ids: readonly string[] } | { filters: AsideFilters };

export interface AsideItem {
  kind: "question" | "event";
  invoiceId: string;
  /** null for a question. */
  eventId: string | null;
  source: string;
  collection: string | null;
  /** Since when it has been aside; for an event, its last try. */
  since: Date;
  /** Answers that spent a step of the ladder, or tries to send. */
  attempts: number;
  error: string | null;
  /** null unless an operator dismissed it since. */
  dismissedAt: Date | null;
}

const QUESTIONS: Record<AsideList, RawBuilder<unknown>> = {
  dead: sql`question.state = 'dead'`,
  quarantine: sql`question.verdict = 'quarantined' and question.released_at is null`,
};

// A question that was settled again after it was dismissed is news: it is listed again.
const questions = (list: AsideList) => sql`
  select 'question' as kind, question.invoice_id as "invoiceId", null::uuid as "eventId", question.source,
    invoice.collection_name as collection, coalesce(question.settled_at, question.requested_at) as since,
    question.attempt as attempts, question.last_error as error,
    case when question.dismissed_at >= question.settled_at then question.dismissed_at end as "dismissedAt"
  from confirmation as question left join invoice on invoice.id = question.invoice_id
  where ${QUESTIONS[list]}`;

const events = sql`
  select 'event' as kind, event.invoice_id as "invoiceId", event.id as "eventId", event.source,
    event.collection_name as collection, event.due_at as since, event.attempt as attempts, event.last_error as error,
    event.dismissed_at as "dismissedAt"
  from event where event.state = 'dead'`;

const itemsOf = (list: AsideList) =>
  list === "dead" ? sql`${questions(list)} union all ${events}` : questions(list);

function chosen(selection: AsideSelection): RawBuilder<unknown> {
  if ("ids" in selection)
    return sql`("invoiceId" = any(${[...selection.ids]}::uuid[]) or "eventId" = any(${[...selection.ids]}::uuid[]))`;
  const { kind, source, collection, from, to } = selection.filters;
  return sql`"dismissedAt" is null and kind = coalesce(${kind ?? null}, kind) and source = coalesce(${source ?? null}, source)
    and (${collection ?? null}::text is null or collection = ${collection ?? null})
    and since >= coalesce(${from ?? null}::timestamptz, '-infinity') and since < coalesce(${to ?? null}::timestamptz, 'infinity')`;
}

/** The oldest first, and how many there are in all. */
export async function listAside({
  db,
  list,
  selection = { filters: {} },
  limit = 50,
}: {
  db: Kysely<Tables>;
  list: AsideList;
  selection?: AsideSelection;
  limit?: number;
}): Promise<{ total: number; items: AsideItem[] }> {
  const { rows } = await sql<AsideItem & { total: number }>`
    select *, count(*) over () as total from (${itemsOf(list)}) as aside where ${chosen(selection)}
    order by since, "invoiceId", kind limit ${limit}`.execute(db);
  return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...item }) => item) };
}
