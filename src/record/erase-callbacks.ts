import { type Kysely, type RawBuilder, sql } from "kysely";
import { returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { VaryingStatement } from "../database/varying-statement.ts";
import { isAbout } from "./callbacks-about.ts";

const erasing = new VaryingStatement(
  { found: returned.count, blanked: returned.count, sources: returned.texts },
  ({ invoiceId, alsoIn }: { invoiceId: string; alsoIn: RawBuilder<unknown> }) => sql`
    with known as materialized (
      select received_at, id, source, erased_at is null as legible from callback
      where ${isAbout(invoiceId)}
      union
      select received_at, id, source, erased_at is null from callback
      where (received_at, id) in (${alsoIn})),
    blanked as (
      update callback set erased_at = clock_timestamp(), erased_digest = encode(sha256(body), 'hex'),
        body = '', headers = '[]', path = '', query = '', reference = null, remote_address = null
      from known
      where known.legible and callback.received_at = known.received_at and callback.id = known.id
        and callback.erased_at is null
      returning 1)
    select count(*) as found, (select count(*) from blanked) as blanked,
      coalesce(array_agg(distinct source), '{}') as sources
    from known`,
  [{ invoiceId: "", alsoIn: sql`select null::timestamptz, null::uuid` }],
);

/**
 * Blanks the callbacks about an invoice, in the one update of the log that its trigger permits; a digest of
 * each body stays.
 * @param alsoIn yields `received_at` and `callback_id` of those in which the invoice was found later.
 * @returns `found`: how many are about it; `blanked`: how many changed; and the sources they came to.
 */
export async function eraseCallbacks(
  db: Kysely<Tables>,
  invoiceId: string,
  alsoIn: RawBuilder<unknown>,
): Promise<{ found: number; blanked: number; sources: string[] }> {
  const [row] = await erasing.execute(db, { invoiceId, alsoIn });
  return row ?? { found: 0, blanked: 0, sources: [] };
}
