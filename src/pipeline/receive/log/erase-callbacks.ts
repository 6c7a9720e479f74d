import { sql } from "kysely";
import {
  type Columns,
  command,
  type Database,
  returned,
  type Slots,
  Statement,
  tableOf,
  text,
} from "../../../platform/database/index.ts";
import { isHeldLegibly, namesLegibleInvoice, type ReferenceOfInvoice } from "../../confirm/index.ts";
import { callbacksThatName } from "./list-callbacks.ts";
import type { CallbackKey } from "./partitions.ts";

const CALLBACK_KEY: Columns<CallbackKey> = { at: text(({ at }) => at), id: text(({ id }) => id) };

/** The one update of the log that its trigger permits. @returns how many changed. */
const blankCallbacks = command(
  (keys: readonly CallbackKey[]) => sql`
    update callback set erased_at = clock_timestamp(), erased_digest = encode(sha256(body), 'hex'),
      body = '', headers = '[]', path = '', query = '', reference = null, remote_address = null
    where (received_at, id) in (select at::timestamptz, id::uuid from ${tableOf("given", CALLBACK_KEY, keys)})
      and erased_at is null`,
  [],
);

const selectLegible = sql`
  coalesce((select json_agg(json_build_object('at', received_at::text, 'id', id)) from known`;

const selectAbout = new Statement(
  { found: returned.count, legible: returned.json<CallbackKey[]>(), sources: returned.texts },
  ({ value }: Slots<string>) => sql`
    with known as materialized (
      select received_at, id, source, erased_at is null as legible
      from ${callbacksThatName(value((invoiceId) => invoiceId))}
      union
      select received_at, id, source, erased_at is null from callback
      where also_named @> array[${value((invoiceId) => invoiceId)}::uuid])
    select count(*) as found, ${selectLegible} where legible), '[]'::json) as legible,
      coalesce(array_agg(distinct source), '{}') as sources
    from known`,
);

/**
 * Blanks the callbacks that name an invoice, under any verdict and in any place; a digest of each body stays.
 * @returns `found`: how many are about it; `blanked`: how many changed; and the sources they came to.
 */
export async function eraseCallbacks(
  db: Database,
  invoiceId: string,
): Promise<{ found: number; blanked: number; sources: string[] }> {
  const [row] = await selectAbout.execute(db, invoiceId);
  if (row === undefined) return { found: 0, blanked: 0, sources: [] };
  const { found, legible, sources } = row;
  return { found, blanked: await blankCallbacks(db, legible), sources };
}

/** A callback that may be about an erased invoice or about another. */
interface LeftCallback {
  id: string;
  receivedAt: Date;
  source: string;
}

const REFERENCE: Columns<ReferenceOfInvoice> = {
  source: text(({ source }) => source),
  reference: text(({ reference }) => reference),
};

/** Of a shared reference: how many of its callbacks are read, the newest first, and how many listed. */
const LOOKED_AT_LIMIT = 5_000;
const LISTED_LIMIT = 100;

const selectByReference = new Statement(
  {
    legible: returned.json<CallbackKey[]>(),
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
    listed as (
      select id, received_at as "receivedAt", source from known where is_shared
      order by received_at desc limit ${sql.lit(LISTED_LIMIT)})
    select ${selectLegible} where not is_shared), '[]'::json) as legible,
      coalesce((select json_agg(listed) from listed), '[]'::json) as left`,
);

/**
 * Blanks the callbacks that carry a reference of an erased invoice and name no legible invoice, unless a
 * legible one has the same reference.
 * @returns how many were blanked, and up to a hundred of those that a person must check.
 */
export async function eraseByReference(
  db: Database,
  references: readonly ReferenceOfInvoice[],
): Promise<{ blanked: number; left: LeftCallback[] }> {
  if (references.length === 0) return { blanked: 0, left: [] };
  const [row] = await selectByReference.execute(db, references);
  const left = (row?.left ?? []).map((one) => ({ ...one, receivedAt: new Date(one.receivedAt) }));
  return { blanked: await blankCallbacks(db, row?.legible ?? []), left };
}
