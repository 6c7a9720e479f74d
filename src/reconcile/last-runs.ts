import { type Kysely, sql } from "kysely";
import { nullable, type RowOf, returned, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { Result } from "./certificate/certificate.ts";

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
  () => sql`
    select distinct_sweep.source, distinct_sweep.collection_id as "collectionId",
      last.finished_at as "finishedAt",
      coalesce(last.missing, 0) as missing, next.due_at as "nextAt", coalesce(next.faults, 0) as faults,
      next.last_error as "lastError"
    from (select distinct source, collection_id from sweep where kind = 'automatic') as distinct_sweep
    left join lateral (
      select finished_at, missing from sweep as done
      where done.source = distinct_sweep.source and done.collection_id = distinct_sweep.collection_id
        and done.kind = 'automatic' and done.state = 'done'
      order by done.started_at desc limit 1) as last on true
    left join lateral (
      select due_at, faults, last_error from sweep as open
      where open.source = distinct_sweep.source and open.collection_id = distinct_sweep.collection_id
        and open.kind = 'automatic' and open.state <> 'done') as next on true
    order by 1, 2`,
);

export const readSweeps = (db: Kysely<Tables>) => readingSweeps.execute(db);

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
  () => sql`
    select distinct on (source) source, id, day::text as day, result, gaps, finished_at as "finishedAt"
    from certificate where day is not null and state = 'done' order by source, day desc`,
);

export const readDailyCertificates = (db: Kysely<Tables>) => readingDaily.execute(db);
