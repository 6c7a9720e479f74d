import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { isAccepted } from "./event-state.ts";

/** A payment that SNS took, and when its event was made and taken first. */
export interface Delivery {
  invoiceId: string;
  source: string;
  createdAt: Date;
  publishedAt: Date;
}

/** Of the newest `most` events, those that SNS took. */
export async function newestDeliveries(db: Kysely<Tables>, most: number): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select newest.invoice_id as "invoiceId", newest.source, newest.created_at as "createdAt",
      taken.at as "publishedAt"
    from (select * from event order by created_at desc limit ${most}) as newest
    cross join lateral (
      select min(published_at) as at from publication
      where publication.source = newest.source and publication.event_id = newest.id
        and publication.replay_id is null) as taken
    where taken.at is not null`.execute(db);
  return rows;
}

type ByMinute = Map<number, number>;

const minutesOf = (rows: readonly { at: Date; count: number }[]): ByMinute =>
  new Map(rows.map(({ at, count }) => [at.getTime(), count]));

/** How many events were made in each minute of a period that has any; by the minute's beginning, in ms. */
export async function eventsByMinute(db: Kysely<Tables>, from: Date, to: Date): Promise<ByMinute> {
  const { rows } = await sql<{ at: Date; count: number }>`
    select date_trunc('minute', created_at) as at, count(*) as count from event
    where created_at >= ${from} and created_at < ${to} group by 1`.execute(db);
  return minutesOf(rows);
}

/** The same of SNS' acceptances, replays left out. */
export async function publicationsByMinute(db: Kysely<Tables>, from: Date, to: Date): Promise<ByMinute> {
  const { rows } = await sql<{ at: Date; count: number }>`
    select date_trunc('minute', published_at) as at, count(*) as count from publication
    where published_at >= ${from} and published_at < ${to} and replay_id is null group by 1`.execute(db);
  return minutesOf(rows);
}

/** Something that just happened to an event. */
export interface EventHappening {
  what: "confirmed" | "published";
  at: Date;
  eventId: string;
  invoiceId: string;
  source: string;
}

/** The newest `most` events that were made since, with those of them that SNS took; the oldest first. */
export async function eventHappenings(
  db: Kysely<Tables>,
  since: Date,
  most: number,
): Promise<EventHappening[]> {
  const { rows } = await sql<EventHappening & { publishedAt: Date | null }>`
    select 'confirmed' as what, event.created_at as at, event.id as "eventId",
      event.invoice_id as "invoiceId", event.source,
      case when ${isAccepted} then (select min(published_at) from publication
        where publication.source = event.source and publication.event_id = event.id) end as "publishedAt"
    from event where event.created_at >= ${since} order by event.created_at desc limit ${most}`.execute(db);
  return rows
    .flatMap(({ publishedAt, ...made }): EventHappening[] => [
      made,
      ...(publishedAt === null ? [] : [{ ...made, what: "published" as const, at: publishedAt }]),
    ])
    .sort((one, other) => +one.at - +other.at);
}
