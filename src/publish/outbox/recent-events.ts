import { type Kysely, sql } from "kysely";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { isAccepted, tellsOfPayment } from "./event-state.ts";

const readingDeliveries = new Statement(
  {
    invoiceId: returned.uuid,
    source: returned.text(),
    createdAt: returned.time,
    /** When it was first accepted. */
    publishedAt: returned.time,
  },
  ({ value }: Slots<{ most: number }>) => sql`
    select newest.invoice_id as "invoiceId", newest.source, newest.created_at as "createdAt",
      taken.at as "publishedAt"
    from (select * from event where ${tellsOfPayment}
      order by created_at desc limit ${value(({ most }) => most)}) as newest
    cross join lateral (
      select min(published_at) as at from publication
      where publication.source = newest.source and publication.event_id = newest.id
        and publication.replay_id is null) as taken
    where taken.at is not null`,
);

/** Of the newest `most` events, those that SNS accepted. */
export const newestDeliveries = (db: Kysely<Tables>, most: number) => readingDeliveries.execute(db, { most });

type ByMinute = Map<number, number>;

const minutesOf = (rows: readonly { at: Date; count: number }[]): ByMinute =>
  new Map(rows.map(({ at, count }) => [at.getTime(), count]));

interface Period {
  from: Date;
  to: Date;
}

const BY_MINUTE = { at: returned.time, count: returned.count } as const;

const countingEvents = new Statement(
  BY_MINUTE,
  ({ value }: Slots<Period>) => sql`
    select date_trunc('minute', created_at) as at, count(*) as count from event
    where created_at >= ${value(({ from }) => from)} and created_at < ${value(({ to }) => to)} group by 1`,
);

const countingPublications = new Statement(
  BY_MINUTE,
  ({ value }: Slots<Period>) => sql`
    select date_trunc('minute', published_at) as at, count(*) as count from publication
    where published_at >= ${value(({ from }) => from)} and published_at < ${value(({ to }) => to)}
      and replay_id is null group by 1`,
);

/** How many events were made, by the minute's beginning in ms; minutes without any are left out. */
export const eventsByMinute = async (db: Kysely<Tables>, from: Date, to: Date): Promise<ByMinute> =>
  minutesOf(await countingEvents.execute(db, { from, to }));

/** The same for acceptances by SNS, replays left out. */
export const publicationsByMinute = async (db: Kysely<Tables>, from: Date, to: Date): Promise<ByMinute> =>
  minutesOf(await countingPublications.execute(db, { from, to }));

const HAPPENING = {
  what: returned.text<"confirmed" | "published">(),
  at: returned.time,
  eventId: returned.uuid,
  invoiceId: returned.uuid,
  source: returned.text(),
};

/** Something that just happened to an event. */
export type EventHappening = RowOf<typeof HAPPENING>;

const readingHappenings = new Statement(
  { ...HAPPENING, publishedAt: nullable(returned.time) },
  ({ value }: Slots<{ withinMs: number; most: number }>) => sql`
    select 'confirmed' as what, event.created_at as at, event.id as "eventId",
      event.invoice_id as "invoiceId", event.source,
      case when ${isAccepted} then (select min(published_at) from publication
        where publication.source = event.source and publication.event_id = event.id) end as "publishedAt"
    from event
    where event.created_at >= now() - ${value(({ withinMs }) => withinMs)}::float8 * interval '1 ms'
      and ${tellsOfPayment}
    order by event.created_at desc limit ${value(({ most }) => most)}`,
);

/** What happened to the newest `most` events made in the last `withinMs`, the oldest first. */
export async function eventHappenings(
  db: Kysely<Tables>,
  withinMs: number,
  most: number,
): Promise<EventHappening[]> {
  const rows = await readingHappenings.execute(db, { withinMs, most });
  return rows
    .flatMap(({ publishedAt, ...made }): EventHappening[] => [
      made,
      ...(publishedAt === null ? [] : [{ ...made, what: "published" as const, at: publishedAt }]),
    ])
    .sort((one, other) => +one.at - +other.at);
}
