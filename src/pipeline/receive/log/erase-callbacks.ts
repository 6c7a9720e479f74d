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
import { namesLegibleInvoice, type ReferenceOfInvoice } from "../../confirm/index.ts";
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
  select coalesce((select json_agg(json_build_object('at', received_at::text, 'id', id)) from known`;

const selectAbout = new Statement(
  { legible: returned.json<CallbackKey[]>(), found: returned.count, sources: returned.texts },
  ({ value }: Slots<string>) => sql`
    with known as materialized (
      select received_at, id, source, erased_at is null as legible
      from ${callbacksThatName(value((invoiceId) => invoiceId))}
      union
      select received_at, id, source, erased_at is null from callback
      where also_named @> array[${value((invoiceId) => invoiceId)}::uuid])
    ${selectLegible} where legible), '[]'::json) as legible, count(*) as found,
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

const REFERENCE: Columns<ReferenceOfInvoice> = {
  source: text(({ source }) => source),
  reference: text(({ reference }) => reference),
};

const selectByReference = new Statement(
  { legible: returned.json<CallbackKey[]>() },
  ({ table }: Slots<readonly ReferenceOfInvoice[]>) => sql`
    with known as (
      select callback.received_at, callback.id
      from ${table("given", REFERENCE, (given) => given)}
      join callback on callback.reference = given.reference and callback.source = given.source
      where not ${namesLegibleInvoice(sql`callback.source`, sql`callback.invoice_ids`)})
    ${selectLegible}), '[]'::json) as legible`,
);

/**
 * Blanks the callbacks that carry a reference of an erased invoice and name no legible invoice.
 * @returns how many.
 */
export async function eraseByReference(
  db: Database,
  references: readonly ReferenceOfInvoice[],
): Promise<number> {
  if (references.length === 0) return 0;
  const [row] = await selectByReference.execute(db, references);
  return await blankCallbacks(db, row?.legible ?? []);
}
