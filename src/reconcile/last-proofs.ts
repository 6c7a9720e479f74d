import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

export interface LastSweep {
  source: string;
  collectionId: string;
  /** When its list was last read to the end; null for never. */
  finishedAt: Date | null;
}

export interface LastCertificate {
  source: string;
  result: "equal" | "not_equal" | "refused";
  finishedAt: Date;
}

/** When each of these collections was last swept. */
export async function readLastSweeps(
  db: Kysely<Tables>,
  collections: readonly { source: string; collectionId: string }[],
): Promise<LastSweep[]> {
  const { rows } = await sql<LastSweep>`
    select wanted.source, wanted.collection_id as "collectionId", last.finished_at as "finishedAt"
    from unnest(${collections.map(({ source }) => source)}::text[],
      ${collections.map(({ collectionId }) => collectionId)}::uuid[]) as wanted (source, collection_id)
    left join lateral (
      select finished_at from sweep
      where source = wanted.source and collection_id = wanted.collection_id and kind = 'automatic'
        and finished_at is not null
      order by started_at desc limit 1) as last on true`.execute(db);
  return rows;
}

/** The newest daily certificate of each of these sources; none for a source that has none. */
export async function readLastCertificates(
  db: Kysely<Tables>,
  sources: readonly string[],
): Promise<LastCertificate[]> {
  const { rows } = await sql<LastCertificate>`
    select wanted.source, last.result, last.finished_at as "finishedAt"
    from unnest(${[...sources]}::text[]) as wanted (source)
    join lateral (
      select result, finished_at from certificate
      where source = wanted.source and day is not null and state = 'done'
      order by day desc limit 1) as last on true`.execute(db);
  return rows;
}
