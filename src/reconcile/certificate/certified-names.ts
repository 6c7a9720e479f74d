import { sql } from "kysely";
import { nullable, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Database } from "../../database/tables.ts";

interface CollectionsOf {
  source: string;
  collectionIds: readonly string[];
}

const selectNames = new Statement(
  { name: nullable(returned.text()) },
  ({ value }: Slots<CollectionsOf>) => sql`
    select named ->> 'name' as name
    from (select document from certificate
      where source = ${value(({ source }) => source)} and state = 'done'
        and collection_ids @> ${value(({ collectionIds }) => [...collectionIds])}::uuid[]
      order by finished_at desc limit 1) as newest
    cross join lateral json_array_elements(newest.document -> 'collections') as named`,
);

/**
 * The names of a source's own collections, as the newest certificate over all of them had them from the provider.
 * @returns null when no certificate has them all, or there is no restriction.
 */
export async function certifiedNames(
  db: Database,
  source: string,
  collectionIds: readonly string[],
): Promise<string[] | null> {
  if (collectionIds.length === 0) return null;
  const rows = await selectNames.execute(db, { source, collectionIds });
  const names = rows.flatMap(({ name }) => (name === null ? [] : [name]));
  return names.length < collectionIds.length ? null : names;
}
