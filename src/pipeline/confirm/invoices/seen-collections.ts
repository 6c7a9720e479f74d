import { sql } from "kysely";
import {
  command,
  type Database,
  query,
  returned,
  type Slots,
  Statement,
  sourcesIn,
} from "../../../platform/database/index.ts";

import { codeOf } from "../../../platform/errors/index.ts";

/** How many of a source's last payments are looked at: no index knows the names, and new ones come seldom. */
const LOOKED_AT = 2_000;

const selectNames = new Statement(
  { source: returned.text(), name: returned.text() },
  ({ value }: Slots<number>) => sql`
    select distinct source, collection_name as name
    from unnest(${sourcesIn("invoice")}) as known (source)
    cross join lateral (
      select collection_name from invoice
      where invoice.source = known.source and paid_at is not null
      order by paid_at desc limit ${value((limit) => limit)}) as newest
    where collection_name is not null
    order by source, name`,
);

/** The names of the collections that the last payments of each source were in. */
export const seenCollections = (db: Database): Promise<{ source: string; name: string }[]> =>
  selectNames.execute(db, LOOKED_AT);

/** The whole table is searched for a name as long as this, in ms. */
const limitSearch = command(() => sql`set local statement_timeout = ${sql.lit(1_000)}`);
const selectInCollection = query((db, name: string) =>
  db.selectFrom("invoice").select("source").where("collection_name", "=", name).limit(1),
);
const QUERY_CANCELED = "57014";

/** Whether any payment is in this collection; where there are too many to tell soon, it may be. */
export async function isInCollection(db: Database, name: string): Promise<boolean> {
  try {
    return await db.transaction().execute(async (trx) => {
      await limitSearch(trx);
      return (await selectInCollection(trx, name).executeTakeFirst()) !== undefined;
    });
  } catch (error) {
    if (codeOf(error) === QUERY_CANCELED) return true;
    throw error;
  }
}
