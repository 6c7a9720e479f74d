import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import type { Certificate } from "./certificate.ts";
import type { PaidWindow } from "./list-period.ts";

// All statements on `certificate`. One that a person asked for is written once it is done; the daily run's rows
// are due → claimed → done, so that one process makes each.

/** Keeps a finished certificate. */
export async function keepCertificate(db: Kysely<Tables>, certificate: Certificate): Promise<void> {
  const { id, source, from, to, collections, total, gaps, differences } = certificate;
  await sql`
    insert into certificate (id, source, window_from, window_to, collection_ids, state, finished_at, document, gaps, differences,
      paid, paid_amount, stored, stored_amount, published, published_amount)
    values (${id}, ${source}, ${from}::timestamptz, ${to}::timestamptz, ${collections.map((c) => c.id)}::uuid[], 'done',
      clock_timestamp(), ${JSON.stringify(certificate)}::json, ${gaps}, ${differences.length},
      ${total.paid.count}, ${total.paid.amount}::numeric, ${total.stored.count}, ${total.stored.amount}::numeric,
      ${total.published.count}, ${total.published.amount}::numeric)`.execute(db);
}

/** A daily certificate whose lease this worker holds. */
export interface ClaimedCertificate {
  id: string;
  leaseToken: string;
  window: PaidWindow;
  faults: number;
}

/** Early in the day's first hour some of yesterday's payments are still on their way. */
const AFTER_MIDNIGHT = sql`interval '1 hour'`;

/**
 * Makes today's row: over the payments of the lookback up to midnight (UTC), so that a gap stays alarmed while
 * it is one, and not before the source was first served.
 */
export async function scheduleDaily(
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
  lookbackMs: number,
): Promise<void> {
  await sql`
    insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
    select ${newId()}, name, midnight::date,
      greatest(date_trunc('day', first_served_at), midnight - ${Math.max(lookbackMs, 86_400_000)} * interval '1 ms'), midnight,
      ${collectionIds}::uuid[], midnight + ${AFTER_MIDNIGHT}
    from source, date_trunc('day', clock_timestamp()) as midnight
    where name = ${source} and first_served_at < midnight
    on conflict do nothing`.execute(db);
}

export async function claimDaily(
  db: Kysely<Tables>,
  source: string,
  leaseMs: number,
): Promise<ClaimedCertificate | null> {
  const { rows } = await sql<Omit<ClaimedCertificate, "window"> & { windowFrom: Date; windowTo: Date }>`
    update certificate set state = 'claimed', lease_token = ${newId()}, claimed_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'
    where id = (
      select certificate.id from certificate join source on source.name = certificate.source
      where certificate.source = ${source} and day is not null and state = 'due' and due_at <= clock_timestamp()
        and source.paused_by is null and source.opens_at <= clock_timestamp()
      order by day desc limit 1 for update of certificate skip locked)
    returning id, lease_token as "leaseToken", window_from as "windowFrom", window_to as "windowTo", faults`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { windowFrom, windowTo, ...claimed } = row;
  return { ...claimed, window: { from: windowFrom, to: windowTo } };
}

/** @returns whether the lease still held; if not, nothing was written. */
export async function finishDaily(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  certificate: Certificate,
): Promise<boolean> {
  const { total, gaps, differences } = certificate;
  const { rows } = await sql`
    update certificate set state = 'done', finished_at = clock_timestamp(), document = ${JSON.stringify({ ...certificate, id })}::json,
      gaps = ${gaps}, differences = ${differences.length}, paid = ${total.paid.count}, paid_amount = ${total.paid.amount}::numeric,
      stored = ${total.stored.count}, stored_amount = ${total.stored.amount}::numeric, published = ${total.published.count},
      published_amount = ${total.published.amount}::numeric, lease_token = null, claimed_until = null, last_error = null
    where id = ${id} and lease_token = ${leaseToken} and state = 'claimed' returning id`.execute(db);
  return rows.length > 0;
}

export async function giveBackDaily(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  { dueInMs, isFault, error }: { dueInMs: number; isFault: boolean; error: string | null },
): Promise<void> {
  await sql`
    update certificate set state = 'due', lease_token = null, claimed_until = null, faults = faults + ${isFault ? 1 : 0},
      last_error = coalesce(${error}, last_error), due_at = clock_timestamp() + ${dueInMs}::float8 * interval '1 ms'
    where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'`.execute(db);
}
