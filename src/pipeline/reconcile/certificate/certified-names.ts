import { sql } from "kysely";
import {
  type Database,
  nullable,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";

interface CollectionsOf {
  source: string;
  collectionIds: readonly string[];
}

const selectNames = new Statement(
  { name: nullable(returned.text()) },
  ({ value }: Slots<CollectionsOf>) => sql`
    select named ->> 'name' as name
    from unnest(${value(({ collectionIds }) => [...collectionIds])}::uuid[]) as own (id)
    cross join lateral (select document from certificate
      where source = ${value(({ source }) => source)} and state = 'done' and own.id = any(collection_ids)
      order by finished_at desc limit 1) as newest
    cross join lateral json_array_elements(newest.document -> 'collections') as named
    where named ->> 'id' = own.id::text order by 1`,
);

/**
 * The names of a source's own collections, as the newest certificate of each had it from the provider; none of one
 * that has no certificate yet.
 * @returns null when there is no restriction.
 */
export async function certifiedNames(
  db: Database,
  source: string,
  collectionIds: readonly string[],
): Promise<string[] | null> {
  if (collectionIds.length === 0) return null;
  const rows = await selectNames.execute(db, { source, collectionIds });
  return rows.flatMap(({ name }) => name ?? []);
}
