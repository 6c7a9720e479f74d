import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Alarm, type AlarmChange, alarmsOf, CLEARED, type EndedAlarm } from "../../database/alarms.ts";
import { LeasedRows, leaseEnd } from "../../database/leased-rows.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/new-id.ts";
import { firstServedAt, isServedAndOpen } from "../../upstreams/first-served.ts";
import type { PaidWindow } from "../list/list-period.ts";
import type { Unproven } from "../list/list-reader.ts";
import type { Certificate } from "./certificate.ts";

// All statements on `certificate`: due → claimed → done. The daily run's rows have a day; one that a person
// asks for is claimed by whoever asks, and goes on where a process that died left it.

export const certificateLeases = new LeasedRows("certificate", "id");

/** How far the making of a certificate is. */
export interface Progress {
  /** The lists were read, and this is what came of it. */
  reading: Reading | null;
}

/** What reading the lists of a period came to. */
export interface Reading {
  collections: { id: string; name: string | null }[];
  pages: number;
  /** What did not prove itself whole, in plain words. */
  doubts: { collectionId: string; text: string }[];
  /** Items that name no invoice. */
  unusable: { collectionId: string; text: string; amount: string | null; day: string | null }[];
  readAt: string;
}

export const describeUnproven = ({ first, last, why }: Unproven): string => `${first} to ${last}: ${why}`;

/** A certificate whose lease this worker holds. */
export interface ClaimedCertificate {
  id: string;
  leaseToken: string;
  window: PaidWindow;
  faults: number;
  deep: boolean;
  progress: Progress | null;
}

/** Early in the day's first hour some of yesterday's payments are still on their way. */
const AFTER_MIDNIGHT = sql`interval '1 hour'`;

/**
 * Makes today's row: over the payments of the lookback up to midnight (UTC), so that a gap stays alarmed
 * while it is one, and not before the source was first served.
 */
export async function scheduleDaily(
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
  lookbackMs: number,
): Promise<void> {
  const served = firstServedAt(sql`${source}`);
  await sql`
    insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
    select ${newId()}, ${source}, midnight::date,
      greatest(date_trunc('day', ${served}),
        midnight - ${Math.max(lookbackMs, 86_400_000)} * interval '1 ms'),
      midnight, ${collectionIds}::uuid[], midnight + ${AFTER_MIDNIGHT}
    from date_trunc('day', clock_timestamp()) as midnight
    where ${served} < midnight
    on conflict do nothing`.execute(db);
}

export async function claimDaily(
  db: Kysely<Tables>,
  source: string,
  leaseMs: number,
): Promise<ClaimedCertificate | null> {
  return await claim(
    db,
    leaseMs,
    sql`
      select id from certificate
      where source = ${source} and day is not null and state = 'due' and due_at <= clock_timestamp()
        and ${isServedAndOpen(sql`${source}`)}
      order by day desc limit 1 for update skip locked`,
  );
}

export interface AskedFor {
  source: string;
  window: PaidWindow;
  collectionIds: readonly string[];
  deep: boolean;
}

/** Takes up what a person asked for: one that stands unfinished goes on. */
export async function claimAskedFor(
  db: Kysely<Tables>,
  { source, window, collectionIds, deep }: AskedFor,
  leaseMs: number,
): Promise<ClaimedCertificate> {
  const left = await claim(
    db,
    leaseMs,
    sql`
      select id from certificate
      where source = ${source} and day is null and deep = ${deep}
        and collection_ids = ${collectionIds}::uuid[]
        and window_from = ${window.from} and window_to = ${window.to}
        and (state = 'due' or (state = 'claimed' and claimed_until < clock_timestamp()))
        and created_at > clock_timestamp() - interval '1 day'
      order by created_at desc limit 1 for update skip locked`,
  );
  if (left !== null) return left;
  const id = newId();
  await db
    .insertInto("certificate")
    .values({
      id,
      source,
      window_from: window.from,
      window_to: window.to,
      collection_ids: [...collectionIds],
      deep,
    })
    .execute();
  const made = await claim(db, leaseMs, sql`select id from certificate where id = ${id} for update`);
  if (made === null) throw new Error("a certificate that was just made is gone");
  return made;
}

async function claim(
  db: Kysely<Tables>,
  leaseMs: number,
  candidate: RawBuilder<unknown>,
): Promise<ClaimedCertificate | null> {
  const { rows } = await sql<Omit<ClaimedCertificate, "window"> & { windowFrom: Date; windowTo: Date }>`
    update certificate set state = 'claimed', lease_token = ${newId()},
      claimed_until = ${leaseEnd(sql`${leaseMs}`)}
    where id = (${candidate})
    returning id, lease_token as "leaseToken", window_from as "windowFrom",
      window_to as "windowTo", faults, deep,
      progress`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { windowFrom, windowTo, ...claimed } = row;
  return { ...claimed, window: { from: windowFrom, to: windowTo } };
}

/** @returns whether the lease still held; if not, nothing was written. */
export async function keepProgress(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  progress: Progress,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("certificate")
    .set({ progress: JSON.stringify(progress) })
    .where("id", "=", id)
    .where("lease_token", "=", leaseToken)
    .where("state", "=", "claimed")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * With the alarms that its result raises or ends (G13).
 * @returns those that it ended; null when the lease was lost: then nothing was written.
 */
export async function finishCertificate(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  certificate: Certificate,
  alarms: AlarmChange = {},
): Promise<EndedAlarm[] | null> {
  const { rows } = await sql<{ cleared: EndedAlarm[] }>`
    with moved as (
      update certificate set state = 'done', finished_at = clock_timestamp(), lease_token = null,
        claimed_until = null,
        last_error = null, progress = null, ${resultOf({ ...certificate, id })}
      where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'
      returning 1),
    ${alarmsOf(alarms)}
    select ${CLEARED} from moved`.execute(db);
  return rows[0]?.cleared ?? null;
}

/** Keeps one that was made along with another: of one collection, from the same reading. */
export async function keepAlong(db: Kysely<Tables>, certificate: Certificate): Promise<void> {
  const { id, source, from, to, collections } = certificate;
  await sql`
    with made as (
      insert into certificate (id, source, window_from, window_to, collection_ids, deep)
      values (${id}, ${source}, ${from}::timestamptz, ${to}::timestamptz,
        ${collections.map((one) => one.id)}::uuid[], ${certificate.basis.deep})
      returning id)
    select id from made`.execute(db);
  await sql`
    update certificate set state = 'done', finished_at = clock_timestamp(), ${resultOf(certificate)}
    where id = ${id}`.execute(db);
}

const resultOf = (certificate: Certificate) => {
  const { total, gaps, differencesInAll, result } = certificate;
  return sql`document = ${JSON.stringify(certificate)}::json, result = ${result}, gaps = ${gaps},
    differences = ${differencesInAll}, paid = ${total.paid.count},
      paid_amount = ${total.paid.amount}::numeric,
    stored = ${total.stored.count}, stored_amount = ${total.stored.amount}::numeric,
    published = ${total.published.count}, published_amount = ${total.published.amount}::numeric`;
};

/**
 * Gives it back, to be tried again in `dueInMs`; `isFault` counts it as one more fault in a row, and `raises`
 * is what that tells of it (G13).
 * @returns whether the lease still held; if not, nothing was written.
 */
export async function giveBackCertificate(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  given: { dueInMs: number; isFault: boolean; error: string | null; raises?: readonly Alarm[] },
): Promise<boolean> {
  const { dueInMs, isFault, error, raises = [] } = given;
  const { rows } = await sql`
    with moved as (
      update certificate set state = 'due', lease_token = null, claimed_until = null,
        faults = faults + ${isFault ? 1 : 0}, last_error = coalesce(${error}, last_error),
        due_at = clock_timestamp() + ${dueInMs}::float8 * interval '1 ms'
      where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'
      returning 1),
    ${alarmsOf({ raises })}
    select from moved`.execute(db);
  return rows.length > 0;
}

/**
 * What a person asked for and nobody finished within a day is given up, with all that was read for it. What
 * was read for one that is made leaves with it, unless its maker died.
 */
export async function forgetAbandoned(db: Kysely<Tables>): Promise<void> {
  await sql`
    with abandoned as (
      delete from certificate
      where day is null and state = 'due' and created_at < clock_timestamp() - interval '1 day'
      returning id)
    delete from listed_payment where certificate_id in (
      select id from abandoned union all select id from certificate
      where state = 'done' and finished_at > clock_timestamp() - interval '1 day'
        and finished_at < clock_timestamp() - interval '1 hour')`.execute(db);
}
