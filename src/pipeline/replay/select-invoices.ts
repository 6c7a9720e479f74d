import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import {
  type Database,
  nullable,
  type RowOf,
  returned,
  VaryingStatement,
} from "../../platform/database/index.ts";
import { type ConfirmationKey, readStates, unknownKeptSince } from "../confirm/index.ts";
import { isOwnVerdict, readCallback } from "../receive/index.ts";
import { conditionOf, EVERY_FILTER, hasVerdict, type ReplayFilters, type Selection } from "./replay.ts";

const takesRefused = ({ refused, verdict }: ReplayFilters) => refused === true || verdict === "refused";

/** Erased callbacks are excluded: they have no body to read. */
const matchCallbacks = (filters: ReplayFilters) => sql`
  from callback as c
  where c.erased_at is null
    and ${takesRefused(filters) ? sql`true` : sql`c.verdict is distinct from 'refused'`}
    and ${conditionOf(filters, {
      from: (time) => sql`c.received_at >= ${time}`,
      to: (time) => sql`c.received_at < ${time}`,
      invoiceIds: (ids) => sql`
        (c.invoice_ids[1] = any(${ids}::uuid[])
          or (cardinality(c.invoice_ids) > 1 and c.invoice_ids && ${ids}::uuid[]))`,
      callbackIds: (ids) => sql`c.id = any(${ids}::uuid[])`,
      collection: (name) => sql`
        exists (select from invoice where invoice.source = c.source and invoice.id = any(c.invoice_ids)
          and invoice.collection_name = ${name})`,
      verdict: (verdict) =>
        isOwnVerdict(verdict)
          ? sql`c.verdict = ${verdict}`
          : sql`exists (select from confirmation where confirmation.invoice_id = any(c.invoice_ids)
              and confirmation.source = c.source and ${hasVerdict(verdict)})`,
      source: (source) => sql`c.source = ${source}`,
    })}`;

const OTHER_VERDICT: ReplayFilters = { verdict: "refused" };

const selectCallbackCount = new VaryingStatement(
  { count: returned.count },
  (filters: ReplayFilters) => sql`select count(*) as count ${matchCallbacks(filters)}`,
  [{}, EVERY_FILTER, OTHER_VERDICT],
);

export const countCallbacks = async (db: Database, given: { filters: ReplayFilters }): Promise<number> =>
  (await selectCallbackCount.execute(db, given.filters))[0]?.count ?? 0;

const SELECTED = {
  id: returned.uuid,
  /** When it was received, to the microsecond, for the position. */
  at: returned.text(),
  source: returned.text(),
  method: returned.text(),
  query: returned.text(),
  reference: nullable(returned.text()),
  headers: returned.json<[name: string, value: string][]>(),
  body: returned.bytes,
  /** Ids that a confirmation was opened for when it came in. */
  foundIds: returned.uuids,
  /** Found ids, unless the filter names them, whose confirmations may have been deleted as unknown. */
  forgottenIds: returned.uuids,
};

type SelectedCallback = RowOf<typeof SELECTED>;

const select = ({ filters, after, most }: Selection) => {
  const later =
    after === null
      ? sql`true`
      : sql`(c.received_at, c.id) > (${after.at ?? "-infinity"}::timestamptz, ${after.id}::uuid)`;
  return sql`
    select c.id, c.received_at::text as at, c.source, c.method, c.query,
      c.reference, c.headers, c.body,
      case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end as "foundIds",
      case when c.verdict is null and c.received_at < ${unknownKeptSince}
        then array(select unnest(c.invoice_ids) except select unnest(${filters.invoiceIds ?? []}::uuid[]))
        else '{}'::uuid[] end as "forgottenIds"
    ${matchCallbacks(filters)} and ${later}
    order by c.received_at, c.id limit ${most}`;
};

/** In the order received. */
export const selectCallbacks = new VaryingStatement(SELECTED, select, [
  { filters: {}, after: null, most: 1 },
  { filters: EVERY_FILTER, after: { id: "" }, most: 1 },
  { filters: OTHER_VERDICT, after: null, most: 1 },
]);

/** Invoices that callbacks name and that have no confirmation: not found on arrival, or lost since. */
export async function findUnopened(
  db: Database,
  callbacks: readonly SelectedCallback[],
): Promise<ConfirmationKey[]> {
  const named = new Map<string, ConfirmationKey>();
  for (const callback of callbacks) {
    const { source } = callback;
    for (const invoiceId of idsIn(callback)) named.set(`${source} ${invoiceId}`, { invoiceId, source });
    // A single callback a turn of the event loop: heavy ones in a row would hold up the whole process (cheap
    // for everyone, G12).
    await nextTurn();
  }
  const keys = [...named.values()];
  for (const { source, invoiceId } of await readStates(db, keys)) named.delete(`${source} ${invoiceId}`);
  return [...named.values()];
}

/** The ids of the log, and those that today's reader finds; without those that were forgotten as unknown. */
function idsIn(callback: SelectedCallback): string[] {
  const contentType = callback.headers.findLast(([key]) => key.toLowerCase() === "content-type")?.[1] ?? null;
  const reading = readCallback({ ...callback, contentType });
  const read = reading.kind === "ids" ? reading.invoiceIds : [];
  return [...callback.foundIds, ...read].filter((id) => !callback.forgottenIds.includes(id));
}

const matchConfirmations = (filters: ReplayFilters) => sql`
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where ${conditionOf(filters, {
    from: (time) => sql`confirmation.requested_at >= ${time}`,
    to: (time) => sql`confirmation.requested_at < ${time}`,
    invoiceIds: (ids) => sql`confirmation.invoice_id = any(${ids}::uuid[])`,
    collection: (name) => sql`invoice.collection_name = ${name}`,
    verdict: hasVerdict,
    source: (source) => sql`confirmation.source = ${source}`,
  })}`;

const selectConfirmationCount = new VaryingStatement(
  { count: returned.count },
  (filters: ReplayFilters) => sql`select count(*) as count ${matchConfirmations(filters)}`,
  [{}, EVERY_FILTER, { verdict: "pending" }],
);

export const countConfirmations = async (db: Database, given: { filters: ReplayFilters }): Promise<number> =>
  (await selectConfirmationCount.execute(db, given.filters))[0]?.count ?? 0;

/** In invoice order. */
export const selectConfirmations = new VaryingStatement(
  { invoiceId: returned.uuid, source: returned.text() },
  ({ filters, after, most }: Selection) => {
    const later =
      after === null
        ? sql`true`
        : sql`
          (confirmation.invoice_id, confirmation.source) > (${after.id}::uuid, ${after.source ?? ""}::text)`;
    return sql`
      select confirmation.invoice_id as "invoiceId", confirmation.source
      ${matchConfirmations(filters)} and ${later}
      order by confirmation.invoice_id, confirmation.source limit ${most}`;
  },
  [
    { filters: {}, after: null, most: 1 },
    { filters: EVERY_FILTER, after: { id: "" }, most: 1 },
  ],
);
