import { type Kysely, sql } from "kysely";
import { type Columns, text, uuid } from "../database/columns.ts";
import { nullable, type RowOf, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { Result } from "./certificate/certificate.ts";

interface Swept {
  source: string;
  collectionId: string;
}

const WANTED: Columns<Swept> = {
  source: text(({ source }) => source),
  collection_id: uuid(({ collectionId }) => collectionId),
};

const SWEEP = {
  source: returned.text(),
  collectionId: returned.uuid,
  /** null if none has finished yet. */
  finishedAt: nullable(returned.time),
  /** Paid invoices without an event that the last one found. */
  missing: returned.integer,
  /** When the next one is due. */
  nextAt: nullable(returned.time),
  /** Failures in a row of the next one. */
  faults: returned.integer,
  lastError: nullable(returned.text()),
};

/** The automatic sweeps of one collection: the last finished one, and the state of the next. */
export type SweepStanding = RowOf<typeof SWEEP>;

const readingSweeps = new Statement(
  SWEEP,
  ({ table }: Slots<readonly Swept[]>) => sql`
    select wanted.source, wanted.collection_id as "collectionId", last.finished_at as "finishedAt",
      coalesce(last.missing, 0) as missing, next.due_at as "nextAt", coalesce(next.faults, 0) as faults,
      next.last_error as "lastError"
    from ${table("wanted", WANTED, (wanted) => wanted)}
    left join lateral (
      select finished_at, missing from sweep as done
      where done.source = wanted.source and done.collection_id = wanted.collection_id
        and done.kind = 'automatic' and done.state = 'done'
      order by done.started_at desc limit 1) as last on true
    left join lateral (
      select due_at, faults, last_error from sweep as open
      where open.source = wanted.source and open.collection_id = wanted.collection_id
        and open.kind = 'automatic' and open.state <> 'done') as next on true
    order by 1, 2`,
);

/** Of these collections; of all that were ever swept when left out. */
export const readSweeps = async (db: Kysely<Tables>, collections?: readonly Swept[]) =>
  await readingSweeps.execute(db, collections ?? (await everSwept(db)));

const everSwept = (db: Kysely<Tables>): Promise<Swept[]> =>
  db
    .selectFrom("sweep")
    .select(["source", "collection_id as collectionId"])
    .where("kind", "=", "automatic")
    .distinct()
    .execute();

const DAILY = {
  source: returned.text(),
  id: returned.uuid,
  /** It covers payments before this day; YYYY-MM-DD, UTC. */
  day: returned.text(),
  result: returned.text<Result>(),
  gaps: returned.integer,
  finishedAt: returned.time,
};

/** The newest daily certificate of a source. */
export type DailyCertificate = RowOf<typeof DAILY>;

const readingDaily = new Statement(
  DAILY,
  ({ value }: Slots<readonly string[]>) => sql`
    select wanted.source, last.id, last.day::text as day, last.result, last.gaps,
      last.finished_at as "finishedAt"
    from unnest(${value((sources) => sources)}::text[]) as wanted (source)
    join lateral (
      select id, day, result, gaps, finished_at from certificate
      where source = wanted.source and day is not null and state = 'done'
      order by day desc limit 1) as last on true
    order by 1`,
);

/** Of those of these sources that have one; of all sources when left out. */
export const readDailyCertificates = async (db: Kysely<Tables>, sources?: readonly string[]) =>
  await readingDaily.execute(db, sources ?? (await everCertified(db)));

async function everCertified(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db
    .selectFrom("certificate")
    .select("source")
    .where("day", "is not", null)
    .distinct()
    .execute();
  return rows.map(({ source }) => source);
}
