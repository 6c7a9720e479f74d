import { type RawBuilder, sql } from "kysely";
import { command, type Database, query } from "../../platform/database/index.ts";

import { forgetAsked } from "./certificate/asked-payment.ts";
import { certificates } from "./certificate/certificate-row.ts";
import { sweeps } from "./sweep/sweep-row.ts";

/** Sweeps and certificates whose process died or hangs go back, of all sources: another continues them. */
export async function reapListWork(db: Database): Promise<void> {
  await sweeps.leases.releaseExpired(db);
  await certificates.leases.releaseExpired(db);
}

/** What failed of this source is tried again now. */
export async function hurryListWork(db: Database, source: string): Promise<void> {
  await sweeps.hurry(db, source);
  await certificates.hurry(db, source);
}

/** A condition: `rescueListWork` has something to do. */
export const listWorkNeedsReaping: RawBuilder<boolean> = sql`
  (${sweeps.leases.someExpired} or ${certificates.leases.someExpired})`;

/** Deletes old sweeps, and what is left of runs that nobody continues, of all sources. */
export async function forgetListWork(db: Database): Promise<void> {
  await forgetSwept(db);
  await forgetAbandoned(db);
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
        and (kind <> 'automatic' or exists (
          select from sweep as later
          where later.source = old.source and later.collection_id = old.collection_id
            and later.kind = 'automatic' and later.state = 'done' and later.started_at > old.started_at))
      order by finished_at limit ${sql.lit(DELETE_LIMIT)})`,
);

const deleteAbandoned = query((db) =>
  db
    .deleteFrom("certificate")
    .where(sql<boolean>`day is null and state = 'due' and created_at < clock_timestamp() - interval '1 day'`)
    .returning("id"),
);

const selectLeft = query((db) =>
  db
    .selectFrom("certificate")
    .select("id")
    .where(
      sql<boolean>`state = 'done' and finished_at < clock_timestamp() - interval '1 hour'
        and finished_at > clock_timestamp() - interval '1 day'
        and exists (select from asked_payment where certificate_id = certificate.id)`,
    ),
);

/**
 * Deletes certificates made on request that were not finished within a day, with what was read for them, and
 * what a process that died left behind of finished ones.
 */
export async function forgetAbandoned(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const { id } of await deleteAbandoned(trx).execute()) await forgetAsked(trx, id);
  });
  for (const { id } of await selectLeft(db).execute()) await forgetAsked(db, id);
}
