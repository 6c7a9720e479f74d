import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Result } from "./certificate/certificate.ts";

/** The automatic sweeps of one collection: the last one that was finished, and how the next one does. */
export interface SweepStanding {
  source: string;
  collectionId: string;
  /** null when none was finished yet. */
  finishedAt: Date | null;
  /** Paid invoices without an event that the last one found. */
  missing: number;
  /** When the next one was made due first. */
  nextAt: Date | null;
  /** Of the next one: failures in a row. */
  faults: number;
  lastError: string | null;
}

export async function readSweeps(db: Kysely<Tables>): Promise<SweepStanding[]> {
  const { rows } = await sql<SweepStanding>`
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
    order by 1, 2`.execute(db);
  return rows;
}

/** The newest daily certificate of a source. */
export interface DailyCertificate {
  source: string;
  id: string;
  /** It covers the payments up to this day, which is not included; YYYY-MM-DD, UTC. */
  day: string;
  result: Result;
  gaps: number;
  finishedAt: Date;
}

export async function readDailyCertificates(db: Kysely<Tables>): Promise<DailyCertificate[]> {
  const { rows } = await sql<DailyCertificate>`
    select distinct on (source) source, id, day::text as day, result, gaps, finished_at as "finishedAt"
    from certificate where day is not null and state = 'done' order by source, day desc`.execute(db);
  return rows;
}
