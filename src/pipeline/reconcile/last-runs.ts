import { sql } from "kysely";
import {
  type Columns,
  type Database,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  text,
  typed,
  uuid,
} from "../../platform/database/index.ts";

import type { Result } from "./certificate/certificate.ts";

/** A list that is swept. */
export interface SweptList {
  source: string;
  collectionId: string;
}

export const SWEPT_LIST: Columns<SweptList> = {
  source: text(({ source }) => source),
  collection_id: uuid(({ collectionId }) => collectionId),
};

const SWEEP = {
  source: returned.text(),
  collectionId: returned.uuid,
  /** null if none has finished yet; one that could read nothing has not. */
  finishedAt: nullable(returned.time),
  /** Paid invoices without an event that the last one found. */
  missing: returned.integer,
  /** When the next one is due. */
  nextAt: nullable(returned.time),
  /** Failures in a row of the next one. */
  faults: returned.integer,
  lastError: nullable(returned.text()),
};

const selectLastSweeps = new Statement(
  SWEEP,
  ({ table }: Slots<readonly SweptList[]>) => sql`
    select wanted.source, wanted.collection_id as "collectionId", last.finished_at as "finishedAt",
      coalesce(last.missing, 0) as missing, next.due_at as "nextAt", coalesce(next.faults, 0) as faults,
      next.last_error as "lastError"
    from ${table("wanted", SWEPT_LIST, (wanted) => wanted)}
    left join lateral (
      select finished_at, missing from sweep as done
      where done.source = wanted.source and done.collection_id = wanted.collection_id
        and done.kind = 'automatic' and done.state = 'done'
        and not (done.listed = 0 and done.unproven::text <> '[]')
      order by done.started_at desc limit 1) as last on true
    left join lateral (
      select due_at, faults, last_error from sweep as open
      where open.source = wanted.source and open.collection_id = wanted.collection_id
        and open.kind = 'automatic' and open.state <> 'done') as next on true
    order by 1, 2`,
);

/** Of these collections; of all that were ever swept when left out. */
export const readSweeps = async (db: Database, collections?: readonly SweptList[]) =>
  await selectLastSweeps.execute(db, collections ?? (await selectEverSwept(db).execute()));

const selectEverSwept = query((db) =>
  db
    .selectFrom("sweep")
    .select(["source", "collection_id as collectionId"])
    .where("kind", "=", "automatic")
    .distinct(),
);

const selectDaily = query((db, sources: readonly string[] | null) =>
  db
    .selectFrom("certificate")
    .distinctOn("source")
    // It covers payments before that day of its zone began.
    .select(["source", "id", "window_to as coversTo"])
    .select([
      typed(returned.text(), sql`day`).as("day"),
      typed(returned.text<Result>(), sql`result`).as("result"),
      typed(returned.integer, sql`gaps`).as("gaps"),
      typed(returned.time, sql`finished_at`).as("finishedAt"),
    ])
    .where(sql<boolean>`state = 'done' and day is not null
      and (${sources}::text[] is null or source = any(${sources}::text[]))`)
    .orderBy("source")
    .orderBy("window_to", "desc")
    .orderBy(sql`certificate.day desc`),
);

/** The newest daily certificate of each of these sources; of all when left out. */
export const readDailyCertificates = (db: Database, sources: readonly string[] | null = null) =>
  selectDaily(db, sources).execute();
