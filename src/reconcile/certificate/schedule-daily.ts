import { type Kysely, type RawBuilder, sql } from "kysely";
import { closedByHandSince } from "../../alarms/audit.ts";
import type { Slots } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/new-id.ts";
import { firstServedAt, isServedAndOpen } from "../../upstreams/first-served.ts";
import { certificates } from "./certificate-row.ts";
import { SETTLING_MS } from "./kept-reading.ts";
import { forgetListed } from "./listed-row.ts";

/**
 * Takes back what was certified while Postgres' clock was ahead: nothing is proven of a period that is not
 * over, and a day that is still to come gets its certificate then (G10). One that says so itself stays.
 */
async function deleteEarlyCertificates(db: Kysely<Tables>, source: string): Promise<void> {
  const early = await db
    .deleteFrom("certificate")
    .where("source", "=", source)
    .where(sql<boolean>`window_to > clock_timestamp() and (day is not null or result <> 'refused')`)
    .returning("id")
    .execute();
  for (const { id } of early) await forgetListed(db, id);
}

/**
 * Creates today's row: it covers the whole lookback up to midnight (UTC), and what no daily certificate has
 * covered yet, but nothing before the source was first served. It takes the place of older ones that were not
 * made: their result would end a newer one's alarm.
 */
export async function scheduleDaily(
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
  lookbackMs: number,
): Promise<void> {
  await db.transaction().execute((trx) => deleteEarlyCertificates(trx, source));
  const served = firstServedAt(sql`${source}`);
  const covered = sql`
    (select max(window_to) from certificate where source = ${source} and day is not null and state = 'done')`;
  await sql`
    insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
    select ${newId()}, ${source}, midnight::date,
      greatest(date_trunc('day', ${served}),
        least(midnight - ${Math.max(lookbackMs, 86_400_000)} * interval '1 ms', ${covered})),
      midnight, ${collectionIds}::uuid[], midnight + ${SETTLING_MS} * interval '1 ms'
    from date_trunc('day', clock_timestamp()) as midnight
    where ${served} < midnight
    on conflict do nothing`.execute(db);
  await db.transaction().execute(async (trx) => {
    const replaced = await trx
      .deleteFrom("certificate")
      .where("source", "=", source)
      .where("state", "=", "due")
      .where(sql<boolean>`day < (select max(day) from certificate where source = ${source})`)
      .returning("id")
      .execute();
    for (const { id } of replaced) await forgetListed(trx, id);
  });
}

/**
 * Where the newest one begins, if it is not equal: a later one has to find all of its days whole before the
 * alarm closes, however old they are by then (G10, G13). null once a person has closed the alarm.
 */
const unsettledFrom = (source: RawBuilder<unknown>) => sql`
  (select newest.window_from from (
      select window_from, result, finished_at from certificate
      where source = ${source} and day is not null and state = 'done' order by day desc limit 1) as newest
    where newest.result <> 'equal'
      and not ${closedByHandSince("certificate_gap", source, sql`newest.finished_at`)})`;

/** The daily certificate that is due. */
// One after the other: today's waits for an older one that a process is making.
export const claimDaily = certificates.claiming(
  ({ value }: Slots<{ source: string }>) => {
    const source = value((given) => given.source);
    return sql`
      select id from certificate
      where source = ${source} and day is not null and state = 'due' and due_at <= clock_timestamp()
        and ${isServedAndOpen(source)}
        and not exists (select from certificate as older
          where older.source = ${source} and older.day is not null and older.state = 'claimed')
      order by day desc limit 1 for update skip locked`;
  },
  ({ value }) => sql`window_from = least(window_from, ${unsettledFrom(value(({ source }) => source))})`,
);
