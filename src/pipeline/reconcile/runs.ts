import { type RawBuilder, sql } from "kysely";
import {
  type Columns,
  command,
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
import { DAY_MS, newId } from "../../platform/values/index.ts";
import { forgetAsked } from "./certificate/asked-payment.ts";
import type { Result } from "./certificate/certificate.ts";
import { certificates } from "./certificate/certificate-row.ts";
import { sweeps } from "./sweep/sweep-row.ts";

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
  /** null before the first has finished. */
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
        and done.state = 'done'
      order by done.started_at desc limit 1) as last on true
    left join lateral (
      select due_at, faults, last_error from sweep as open
      where open.source = wanted.source and open.collection_id = wanted.collection_id
        and open.state <> 'done') as next on true
    order by 1, 2`,
);

/** Of these collections; of all that were ever swept when left out. */
export const readSweeps = async (db: Database, collections?: readonly SweptList[]) =>
  await selectLastSweeps.execute(db, collections ?? (await selectEverSwept(db).execute()));

const selectEverSwept = query((db) =>
  db.selectFrom("sweep").select(["source", "collection_id as collectionId"]).distinct(),
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

/** Sweeps and certificates whose process died or hangs go back, of all sources: another continues them. */
export async function reapListWork(db: Database): Promise<void> {
  await sweeps.leases.releaseExpired(db);
  await certificates.leases.releaseExpired(db);
}

/** A condition: `reapListWork` has something to do. */
export const listWorkNeedsReaping: RawBuilder<boolean> = sql`
  (${sweeps.leases.someExpired} or ${certificates.leases.someExpired})`;

/** Deletes old sweeps, and what was asked for certificates that are made or will not be, of all sources. */
export async function forgetListWork(db: Database): Promise<void> {
  await forgetSwept(db);
  for (
    let left = await selectLeft(db).execute();
    left[0] !== undefined;
    left = await selectLeft(db).execute()
  )
    await forgetAsked(db, left[0].id);
}

/**
 * How long finished sweeps are kept; the last one of each collection is kept anyway.
 */
const KEPT = sql`interval '35 days'`;

const DELETE_LIMIT = 1_000;

/** Deletes old sweeps. */
const forgetSwept = command(
  () => sql`
    delete from sweep where id in (
      select id from sweep as old
      where state = 'done' and finished_at < clock_timestamp() - ${KEPT}
        and exists (
          select from sweep as later
          where later.source = old.source and later.collection_id = old.collection_id
            and later.state = 'done' and later.started_at > old.started_at)
      order by finished_at limit ${sql.lit(DELETE_LIMIT)})`,
);

const selectLeft = query((db) =>
  db
    .selectFrom("asked_payment")
    .select("certificate_id as id")
    // Of a certificate on request there is no row until it is made: its id says when it was begun.
    .where(
      sql<boolean>`certificate_id < ${newId(Date.now() - DAY_MS)}::uuid and not exists (
        select from certificate where id = certificate_id and state <> 'done')`,
    )
    .orderBy("certificate_id")
    .limit(1),
);
