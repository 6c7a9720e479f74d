import { type Kysely, sql } from "kysely";
import { type Columns, text, uuid } from "../database/columns.ts";
import { nullable, type RowOf, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { Result } from "./certificate/certificate.ts";

interface Wanted {
  source: string;
  collectionId: string;
}

const WANTED: Columns<Wanted> = {
  source: text(({ source }) => source),
  collection_id: uuid(({ collectionId }) => collectionId),
};

const SWEEP = {
  source: returned.text(),
  collectionId: returned.uuid,
  /** When its list was last read to the end; null if never. */
  finishedAt: nullable(returned.time),
};

export type LastSweep = RowOf<typeof SWEEP>;

const readingSweeps = new Statement(
  SWEEP,
  ({ table }: Slots<readonly Wanted[]>) => sql`
    select wanted.source, wanted.collection_id as "collectionId", last.finished_at as "finishedAt"
    from ${table("wanted", WANTED, (wanted) => wanted)}
    left join lateral (
      select finished_at from sweep
      where source = wanted.source and collection_id = wanted.collection_id and kind = 'automatic'
        and finished_at is not null
      order by started_at desc limit 1) as last on true`,
);

/** When each of these collections was last swept. */
export const readLastSweeps = (db: Kysely<Tables>, collections: readonly Wanted[]) =>
  readingSweeps.execute(db, collections);

const CERTIFICATE = {
  source: returned.text(),
  result: returned.text<Result>(),
  finishedAt: returned.time,
};

export type LastCertificate = RowOf<typeof CERTIFICATE>;

const readingCertificates = new Statement(
  CERTIFICATE,
  ({ value }: Slots<readonly string[]>) => sql`
    select wanted.source, last.result, last.finished_at as "finishedAt"
    from unnest(${value((sources) => sources)}::text[]) as wanted (source)
    join lateral (
      select result, finished_at from certificate
      where source = wanted.source and day is not null and state = 'done'
      order by day desc limit 1) as last on true`,
);

/** The newest daily certificate of each of these sources that has one. */
export const readLastCertificates = (db: Kysely<Tables>, sources: readonly string[]) =>
  readingCertificates.execute(db, sources);
