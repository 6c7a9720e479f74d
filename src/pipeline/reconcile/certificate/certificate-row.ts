import { type RawBuilder, sql, type Transaction } from "kysely";
import {
  type AlarmChange,
  alarmsGiven,
  CLEARED,
  type EndedAlarm,
  selectCleared,
} from "../../../platform/alarms/index.ts";
import { closedByHandSince } from "../../../platform/audit/index.ts";
import {
  type Columns,
  command,
  type Database,
  integer,
  json,
  nullable,
  numeric,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  type Tables,
  text,
} from "../../../platform/database/index.ts";
import { isServedAndOpen, readClock } from "../../../platform/upstreams/index.ts";
import { bookDayOf, DAY_MS, newId, startOfBookDay } from "../../../platform/values/index.ts";
import {
  type ClaimedRun,
  finishedAt,
  isStillLeased,
  type Leased,
  ListRuns,
  mustBeLeased,
} from "../list-runs.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { forgetAsked } from "./asked-payment.ts";
import { type Certificate, type Progress, SETTLING_MS } from "./certificate.ts";

// The statements on `certificate`. Rows of the daily run have a day, and continue from the progress of a process
// that died. A certificate made on request has a row once it is made.

const CLAIMED = { progress: nullable(returned.json<Progress>()) };

/** A daily certificate whose lease this worker holds. */
export type ClaimedCertificate = ClaimedRun & RowOf<typeof CLAIMED>;

export const certificates = new ListRuns("certificate", CLAIMED, sql`progress`);

/** A daily certificate waits an hour after midnight for late payments, and no longer after a fault. */
export const CERTIFICATE_BACK_OFF = { firstMs: 60_000, capMs: SETTLING_MS };

const insertClaimed = command(
  ({ id, leaseToken }: Leased, { source, from, to }: Certificate, collectionIds: readonly string[]) => sql`
    insert into certificate
      (id, source, window_from, window_to, collection_ids, state, lease_token, claimed_until)
    values (${id}, ${source}, ${from}, ${to}, ${collectionIds}::uuid[], 'claimed', ${leaseToken},
      clock_timestamp())`,
);

/** Inserts the row of a certificate made on request, to be finished in the same transaction. */
export async function insertAsked(trx: Transaction<Tables>, certificate: Certificate): Promise<Leased> {
  const made = { id: certificate.id, leaseToken: newId() };
  const collectionIds = certificate.collections.map(({ id }) => id);
  await insertClaimed(trx, made, certificate, collectionIds);
  return made;
}

/** @throws LeaseLost */
export const saveReading = certificates.saving(
  ({ value }: Slots<Progress>) => sql`progress = ${value(({ reading }) => JSON.stringify({ reading }))}`,
);

const RESULT: Columns<Certificate> = {
  document: json((certificate) => JSON.stringify(certificate)),
  result: text(({ result }) => result),
  gaps: integer(({ gaps }) => gaps),
  differences: integer(({ differencesInAll }) => differencesInAll),
  paid: integer(({ total }) => total.paid.count),
  paid_amount: numeric(({ total }) => total.paid.amount),
  stored: integer(({ total }) => total.stored.count),
  stored_amount: numeric(({ total }) => total.stored.amount),
  published: integer(({ total }) => total.published.count),
  published_amount: numeric(({ total }) => total.published.amount),
  time_zone: text(({ basis }) => basis.zone),
  currency: text(({ currency }) => currency),
};

const updateFinished = new Statement(
  CLEARED,
  (slots: Slots<Leased & { certificate: Certificate; alarms: AlarmChange }>) => sql`
    with moved as (
      update certificate set ${finishedAt}, progress = null,
        ${sql.join(Object.keys(RESULT).map((column) => sql`${sql.id(column)} = made.${sql.id(column)}`))},
        collection_ids = ${slots.value(({ certificate }) => certificate.collections.map(({ id }) => id))}::uuid[]
      from ${slots.table("made", RESULT, ({ certificate }) => [certificate])}
      where ${isStillLeased(slots)}
      returning 1),
    ${alarmsGiven(slots, ({ alarms }) => alarms)}
    select ${selectCleared} from moved`,
);

/**
 * Stores the result together with the alarms that it raises or ends (G13), and the collections whose lists were
 * read: what was asked for may have changed since.
 * @returns the alarms it ended. @throws LeaseLost
 */
export async function finishCertificate(
  db: Database,
  { id, leaseToken }: Leased,
  certificate: Certificate,
  alarms: AlarmChange,
): Promise<EndedAlarm[]> {
  return mustBeLeased(await updateFinished.execute(db, { id, leaseToken, certificate, alarms })).cleared;
}

interface Today {
  source: string;
  zone: string;
  midnight: Date;
}

const insertDaily = command(
  (
    { source, zone, midnight }: Today,
    { collectionIds, currency }: ReconcileSource,
    { today, begun, earliest }: { today: string; begun: Date; earliest: Date },
  ) => sql`
    insert into certificate (id, source, day, window_from, window_to, collection_ids, time_zone, currency, due_at)
    values (${newId()}, ${source}, ${today}::date,
      greatest(${begun}::timestamptz, least(${earliest}::timestamptz, (
        select max(window_to) from certificate where source = ${source} and day is not null and state = 'done'))),
      ${midnight}, ${collectionIds}::uuid[], ${zone}, ${currency},
      ${midnight}::timestamptz + ${SETTLING_MS} * interval '1 ms')
    on conflict do nothing`,
);

const deleteReplaced = query((db, { source, zone, midnight }: Today) =>
  db
    .deleteFrom("certificate")
    .where("source", "=", source)
    .where("state", "=", "due")
    .where("day", "is not", null)
    .where(sql<boolean>`window_to < ${midnight} or (window_to = ${midnight} and time_zone <> ${zone})`)
    .returning("id"),
);

/**
 * Creates today's row: it covers the whole lookback up to midnight in the zone of the books, and what no daily
 * certificate has covered yet, but nothing before the source was first served. It takes the place of older
 * ones that were not made: their result would end a newer one's alarm. Another zone makes another row.
 */
export async function scheduleDaily(db: Database, served: ReconcileSource): Promise<void> {
  const { name: source, lookbackMs, booksTimeZone: zone } = served;
  const { now, servedAt: firstServed } = await readClock(db, source);
  const today = bookDayOf(now, zone);
  const midnight = startOfBookDay(today, zone);
  const earliest = startOfBookDay(bookDayOf(midnight.getTime() - Math.max(lookbackMs, DAY_MS), zone), zone);
  if (firstServed === null || firstServed >= midnight) return;
  const begun = startOfBookDay(bookDayOf(firstServed, zone), zone);
  const day = { source, zone, midnight };
  await insertDaily(db, day, served, { today, begun, earliest });
  await db.transaction().execute(async (trx) => {
    for (const { id } of await deleteReplaced(trx, day).execute()) await forgetAsked(trx, id);
  });
}

/**
 * Where the newest one begins, if it is not equal: a later one has to find all of its days whole before the
 * alarm closes, however old they are by then (G10, G13). null once a person has closed the alarm.
 */
const unsettledFrom = (source: RawBuilder<unknown>) => sql`
  (select newest.window_from from (
      select window_from, result, finished_at from certificate
      where source = ${source} and day is not null and state = 'done' order by window_to desc, day desc limit 1) as newest
    where newest.result <> 'equal'
      and not ${closedByHandSince("certificate_gap", source, sql`newest.finished_at`)})`;

// Daily certificates run one after the other: today's waits for an older one that a process is making.
const isDueDaily = sql`
  day is not null and state = 'due' and due_at <= clock_timestamp()
  and ${isServedAndOpen(sql`certificate.source`)}
  and not exists (select from certificate as older
    where older.source = certificate.source and older.day is not null and older.state = 'claimed')`;

/** The sources whose daily certificate is due. @param sources an array of names. */
export const sourcesToCertify = (sources: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select source from certificate where source = any(${sources}) and ${isDueDaily}`;

/** The daily certificate that is due. */
export const claimDaily = certificates.claiming(
  ({ value }: Slots<{ source: string }>) => {
    const source = value((given) => given.source);
    return sql`
      select id from certificate where source = ${source} and ${isDueDaily}
      order by window_to desc, day desc limit 1 for update skip locked`;
  },
  ({ value }) => sql`window_from = least(window_from, ${unsettledFrom(value(({ source }) => source))})`,
);
