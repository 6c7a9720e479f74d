import { type RawBuilder, sql } from "kysely";
import type { ShownVerdict } from "../pipeline/confirm/index.ts";
import { type EventState, eventState, joinOutbox, paidEventId } from "../pipeline/publish/index.ts";
import { invoicesCalledAs } from "../pipeline/receive/index.ts";
import {
  type Database,
  nullable,
  type Page,
  type PagePosition,
  type PageWanted,
  pageOfRows,
  query,
  type RowOf,
  returned,
  sourcesIn,
  VaryingStatement,
} from "../platform/database/index.ts";
import { collection, day, idGiven, name, shownVerdict, source } from "./list/fields.ts";

export const terms = {
  id: idGiven.optional().describe("only this invoice"),
  reference: name(1_000).optional().describe("only those with this merchant reference"),
  from: day.optional().describe("only those paid on this day (UTC) or later"),
  to: day.optional().describe("only those paid on this day (UTC) or earlier"),
  collection,
  verdict: shownVerdict.optional().describe("only those with this verdict; dead: given up"),
  source,
};

interface InvoiceTerms {
  id?: string | undefined;
  reference?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  collection?: string | undefined;
  verdict?: ShownVerdict | undefined;
  source?: string | undefined;
}

/** `shownVerdict`, where Postgres has to know it; null without a confirmation. */
const VERDICT = sql`
  case when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
    when confirmation.state = 'dead' then 'dead' when confirmation.state is not null then 'pending' end`;

const LISTED = {
  invoiceId: returned.uuid,
  source: returned.text(),
  status: nullable(returned.text()),
  type: nullable(returned.text()),
  reference: nullable(returned.text()),
  collection: nullable(returned.text()),
  totalAmount: nullable(returned.numeric),
  paidAt: nullable(returned.time),
  confirmedAt: nullable(returned.time),
  verdict: nullable(returned.text<ShownVerdict>()),
  /** The state of its event; null without one. */
  event: nullable(returned.text<EventState>()),
};

const FOUND = { ...LISTED, at: returned.text() };

/** An invoice as a list shows it; the provider may not have confirmed it yet. No personal data. */
type FoundInvoice = RowOf<typeof LISTED>;

/** Behind a position in the order of time, the newest first. */
const isAfter = (columns: RawBuilder<unknown>, after: PagePosition | null) =>
  after === null
    ? sql`true`
    : sql`(${columns}) < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;

function matches({ verdict, source, collection, from, to }: InvoiceTerms): RawBuilder<unknown> {
  const conditions = [sql`true`];
  if (verdict !== undefined) conditions.push(sql`${VERDICT} = ${verdict}`);
  if (source !== undefined) conditions.push(sql`confirmation.source = ${source}`);
  if (collection !== undefined) conditions.push(sql`invoice.collection_name = ${collection}`);
  if (from !== undefined)
    conditions.push(sql`invoice.paid_at >= (${from}::date)::timestamp at time zone 'UTC'`);
  if (to !== undefined)
    conditions.push(sql`invoice.paid_at < (${to}::date + 1)::timestamp at time zone 'UTC'`);
  return sql.join(conditions, sql` and `);
}

const columns = sql`
  invoice.status, invoice.type, invoice.reference, invoice.collection_name as collection,
  invoice.total_amount as "totalAmount", invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
  ${VERDICT} as verdict`;

const joined = sql`on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id`;

const OF_ROWS = Object.keys(LISTED).flatMap((name) => (name === "event" ? [] : sql.ref(`listed.${name}`)));

/** @param rows with the columns of a listed invoice, and `place`. */
const withEvents = (rows: RawBuilder<unknown>, limit: number) => sql`
  select ${sql.join(OF_ROWS)}, (select ${eventState} from event ${joinOutbox}
    where event.source = listed.source and event.id = ${paidEventId(sql`listed."invoiceId"`)}
    limit 1) as event, place::text as at
  from (${rows}) as listed order by place desc, "invoiceId" desc, source desc limit ${limit}`;

interface Listing {
  terms: InvoiceTerms;
  after: PagePosition | null;
  limit: number;
}

const EVERY: Listing = {
  terms: { verdict: "paid", source: "", collection: "", from: "", to: "" },
  after: { at: "", id: "", source: "" },
  limit: 1,
};

/** By payment; a query for each source, with which the index begins. */
const selectPaid = new VaryingStatement(
  FOUND,
  ({ terms, after, limit }: Listing) =>
    withEvents(
      sql`select one.* from unnest(${sourcesIn("invoice")}) as known (source) cross join lateral (
        select paid_at as place, invoice.id as "invoiceId", invoice.source, ${columns}
        from invoice left join confirmation ${joined}
        where invoice.source = known.source and paid_at is not null and ${matches(terms)}
          and ${isAfter(sql`paid_at, invoice.id, invoice.source`, after)}
        order by paid_at desc, invoice.id desc limit ${limit}) as one`,
      limit,
    ),
  [{ terms: {}, after: null, limit: 1 }, EVERY],
);

/** By id, or by a verdict other than paid: the provider may never have confirmed them. */
const selectRequested = new VaryingStatement(
  FOUND,
  ({ ids, terms, after, limit }: Listing & { ids: readonly string[] | null }) => {
    const { verdict = "pending" } = terms;
    // Each in the words of an index.
    const indexed =
      ids !== null
        ? sql`invoice_id = any(${ids}::uuid[])`
        : verdict === "dead"
          ? sql`state = 'dead'`
          : verdict === "pending"
            ? sql`(state = 'due' or state = 'claimed')`
            : sql`verdict = ${verdict} and verdict <> 'paid'`;
    return withEvents(
      sql`select opened_at as place, invoice_id as "invoiceId", confirmation.source, ${columns}
        from confirmation left join invoice ${joined}
        where ${indexed} and ${matches(terms)} and ${isAfter(sql`opened_at, invoice_id, confirmation.source`, after)}`,
      limit,
    );
  },
  [
    { ...EVERY, ids: [] },
    ...(["dead", "pending", "not_paid"] as const).map((verdict) => ({
      ...EVERY,
      ids: null,
      terms: { ...EVERY.terms, verdict },
    })),
  ],
);

/** The most invoices of one reference. */
const REFERENCE_LIMIT = 200;

const selectReferred = query((db, reference: string) =>
  db.selectFrom("invoice").select("id").where("reference", "=", reference).limit(REFERENCE_LIMIT),
);

/** Callbacks that came with a reference name what the provider has not confirmed yet. */
async function idsOf(db: Database, { id, reference }: InvoiceTerms): Promise<string[] | null> {
  if (reference === undefined) return id === undefined ? null : [id];
  const confirmed = (await selectReferred(db, reference).execute()).map((one) => one.id);
  const ids = [...confirmed, ...(await invoicesCalledAs(db, reference, REFERENCE_LIMIT))];
  return id === undefined ? ids : ids.filter((one) => one === id);
}

/**
 * A page of invoices that match all terms: by id, by reference, or with a verdict other than paid, last requested
 * first; otherwise by payment date, newest first.
 */
export async function findInvoices(
  db: Database,
  terms: InvoiceTerms,
  { from: after, limit }: PageWanted,
): Promise<Page<FoundInvoice>> {
  const ids = await idsOf(db, terms);
  const isByRequest = ids !== null || (terms.verdict !== undefined && terms.verdict !== "paid");
  const given = { terms, after, limit: limit + 1 };
  const rows = isByRequest
    ? await selectRequested.execute(db, { ...given, ids })
    : await selectPaid.execute(db, given);
  return pageOfRows(rows, limit, ({ invoiceId }) => invoiceId);
}
