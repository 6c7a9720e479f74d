import { type Kysely, type RawBuilder, sql } from "kysely";
import { isHeldLegibly, namesLegibleInvoice, type ReferenceOfInvoice } from "../../confirm/erase.ts";
import { type Columns, text } from "../../database/columns.ts";
import { returned, type Slots, Statement, VaryingStatement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { isAbout } from "./callbacks-about.ts";

/** The one update of the log that its trigger permits. @param known yields `received_at` and `id`. */
const blankCallbacks = (known: RawBuilder<unknown>) => sql`
  update callback set erased_at = clock_timestamp(), erased_digest = encode(sha256(body), 'hex'),
    body = '', headers = '[]', path = '', query = '', reference = null, remote_address = null
  from ${known} as known
  where callback.received_at = known.received_at and callback.id = known.id and callback.erased_at is null
  returning 1`;

const updateByInvoice = new VaryingStatement(
  { found: returned.count, blanked: returned.count, sources: returned.texts },
  ({ invoiceId, alsoIn }: { invoiceId: string; alsoIn: RawBuilder<unknown> }) => sql`
    with known as materialized (
      select received_at, id, source, erased_at is null as legible from callback
      where ${isAbout(invoiceId)}
      union
      select received_at, id, source, erased_at is null from callback
      where also_named @> array[${invoiceId}::uuid]
      union
      select received_at, id, source, erased_at is null from callback
      where (received_at, id) in (${alsoIn})),
    blanked as (${blankCallbacks(sql`(select * from known where legible)`)})
    select count(*) as found, (select count(*) from blanked) as blanked,
      coalesce(array_agg(distinct source), '{}') as sources
    from known`,
  [{ invoiceId: "", alsoIn: sql`select null::timestamptz, null::uuid` }],
);

/**
 * Blanks the callbacks that name an invoice, whatever their verdict and wherever its id stands; a digest of
 * each body stays.
 * @param alsoIn yields `received_at` and `callback_id` of those in which the invoice was found later.
 * @returns `found`: how many are about it; `blanked`: how many changed; and the sources they came to.
 */
export async function eraseCallbacks(
  db: Kysely<Tables>,
  invoiceId: string,
  alsoIn: RawBuilder<unknown>,
): Promise<{ found: number; blanked: number; sources: string[] }> {
  const [row] = await updateByInvoice.execute(db, { invoiceId, alsoIn });
  return row ?? { found: 0, blanked: 0, sources: [] };
}

/** A callback that may be about an erased invoice, and may as well be about another. */
export interface LeftCallback {
  id: string;
  receivedAt: Date;
  source: string;
}

const REFERENCE: Columns<ReferenceOfInvoice> = {
  source: text(({ source }) => source),
  reference: text(({ reference }) => reference),
};

/** Of a shared reference: how many of its callbacks are looked at, the newest first, and how many listed. */
const LOOKED_AT_LIMIT = 5_000;
const LISTED_LIMIT = 100;

const updateByReference = new Statement(
  {
    blanked: returned.count,
    left: returned.json<{ id: string; receivedAt: string; source: string }[]>(),
  },
  ({ table }: Slots<readonly ReferenceOfInvoice[]>) => sql`
    with known as materialized (
      select callback.*, is_shared
      from ${table("given", REFERENCE, (given) => given)}
      cross join lateral (
        select ${isHeldLegibly(sql`given.source`, sql`given.reference`)} as is_shared) as held
      cross join lateral (
        select received_at, id, source, invoice_ids from callback
        where callback.reference = given.reference and callback.source = given.source
        order by received_at desc
        limit case when held.is_shared then ${sql.lit(LOOKED_AT_LIMIT)} end) as callback
      where not ${namesLegibleInvoice(sql`callback.source`, sql`callback.invoice_ids`)}),
    blanked as (${blankCallbacks(sql`(select * from known where not is_shared)`)}),
    listed as (
      select id, received_at as "receivedAt", source from known where is_shared
      order by received_at desc limit ${sql.lit(LISTED_LIMIT)})
    select (select count(*) from blanked) as blanked,
      coalesce((select json_agg(listed) from listed), '[]'::json) as left`,
);

/**
 * Blanks the callbacks that carry a reference of an erased invoice and name no invoice that is legible,
 * unless a legible one has the same reference.
 * @returns how many were blanked, and up to a hundred of those that a person has to look at.
 */
export async function eraseByReference(
  db: Kysely<Tables>,
  references: readonly ReferenceOfInvoice[],
): Promise<{ blanked: number; left: LeftCallback[] }> {
  if (references.length === 0) return { blanked: 0, left: [] };
  const [row] = await updateByReference.execute(db, references);
  const left = (row?.left ?? []).map((one) => ({ ...one, receivedAt: new Date(one.receivedAt) }));
  return { blanked: row?.blanked ?? 0, left };
}
