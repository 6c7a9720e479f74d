import { sql } from "kysely";
import { z } from "zod";
import {
  type Columns,
  nullable,
  returned,
  type Slots,
  Statement,
  text,
  time,
  typed,
  uuid,
} from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { answeredId, time as answeredTime } from "../kit/answer-fields.ts";
import { type BookPeriod, bookDay, bookDaysOf, bookPeriod } from "../kit/time.ts";
import { type Result, result, type Totals, totals } from "./certificate/certificate.ts";
import { emptyTotals, isEqual } from "./certificate/summary.ts";
import { MADE_TOO_EARLY } from "./unproven-days.ts";

interface Swept {
  source: string;
  collectionId: string;
}

const WANTED: Columns<Swept> = {
  source: text(({ source }) => source),
  collection_id: uuid(({ collectionId }) => collectionId),
};

const SWEEP = {
  source: returned.text(),
  collectionId: returned.uuid,
  /** null if none has finished yet; one that could read nothing has not. */
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
  ({ table }: Slots<readonly Swept[]>) => sql`
    select wanted.source, wanted.collection_id as "collectionId", last.finished_at as "finishedAt",
      coalesce(last.missing, 0) as missing, next.due_at as "nextAt", coalesce(next.faults, 0) as faults,
      next.last_error as "lastError"
    from ${table("wanted", WANTED, (wanted) => wanted)}
    left join lateral (
      select finished_at, missing from sweep as done
      where done.source = wanted.source and done.collection_id = wanted.collection_id
        and done.kind = 'automatic' and done.state = 'done'
        and not (done.listed = 0 and done.unproven::text <> '[]')
      order by done.started_at desc limit 1) as last on true
    left join lateral (
      select due_at, faults, last_error from sweep as open
      where open.source = wanted.source and open.collection_id = wanted.collection_id
        and open.kind = 'automatic' and open.state <> 'done') as next on true
    order by 1, 2`,
);

/** Of these collections; of all that were ever swept when left out. */
export const readSweeps = async (db: Database, collections?: readonly Swept[]) =>
  await selectLastSweeps.execute(db, collections ?? (await everSwept(db)));

const everSwept = (db: Database): Promise<Swept[]> =>
  db
    .selectFrom("sweep")
    .select(["source", "collection_id as collectionId"])
    .where("kind", "=", "automatic")
    .distinct()
    .execute();

/** The newest daily certificate of each of these sources; of all when left out. */
export const readDailyCertificates = (db: Database, sources: readonly string[] | null = null) =>
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
    .orderBy(sql`certificate.day desc`)
    .execute();

/** One day of payment of one source, according to the newest certificate that covers it. */
export const calendarDay = totals.extend({
  /** In the zone of the source's books, YYYY-MM-DD. */
  day: z.string(),
  source: z.string(),
  certificateId: answeredId,
  madeAt: answeredTime,
  result: result.describe("Of this day alone: equal unless something is missing or different."),
});
type CalendarDay = z.output<typeof calendarDay>;

interface CoveredSource {
  name: string;
  collectionIds: readonly string[];
  zone: string;
}

interface CalendarQuery {
  /** YYYY-MM-DD, both included. */
  from: string;
  to: string;
  /** With all their collections: a certificate of fewer proves nothing about a day. */
  sources: readonly CoveredSource[];
}

interface AskedDay extends CoveredSource {
  day: string;
  period: BookPeriod;
}

const ASKED: Columns<AskedDay> = {
  source: text(({ name }) => name),
  // As text: unnest would flatten an array of arrays.
  ids: text(({ collectionIds }) => `{${collectionIds.join(",")}}`),
  zone: text(({ zone }) => zone),
  day: text(({ day }) => day),
  begins: time(({ period }) => period.from),
  ends: time(({ period }) => period.to),
};

const selectCalendar = new Statement(
  {
    day: returned.text(),
    source: returned.text(),
    certificateId: returned.uuid,
    madeAt: returned.time,
    refused: returned.boolean,
    /** null: nothing was paid on it. */
    counted: nullable(returned.json<Totals>()),
  },
  ({ table }: Slots<readonly AskedDay[]>) => sql`
    with covering as (
      select distinct on (asked.source, asked.day) asked.source, asked.day, certificate.id,
        certificate.finished_at, certificate.result
      from ${table("asked", ASKED, (asked) => asked)}
      join certificate on certificate.state = 'done' and certificate.source = asked.source
        and certificate.collection_ids @> asked.ids::uuid[] and certificate.time_zone = asked.zone
        and certificate.window_from <= asked.begins and certificate.window_to >= asked.ends
        and not ${MADE_TOO_EARLY}
      order by asked.source, asked.day, certificate.finished_at desc),
    -- Materialized: else a document is taken apart again for each of its days.
    counted as materialized (
      select certificate.id, jsonb_object_agg(item ->> 'day', item) as days
      from certificate, json_array_elements(document -> 'days') as item
      where certificate.id in (select id from covering)
      group by certificate.id)
    select covering.day, covering.source, covering.id as "certificateId",
      covering.finished_at as "madeAt", covering.result = 'refused' as refused,
      (counted.days -> covering.day)::json as counted
    from covering left join counted on counted.id = covering.id
    order by covering.day, covering.source`,
);

/**
 * Days of payment according to certificates: a day is left out if no finished certificate of all the source's
 * collections and of the zone of its books covers it. Postgres parses the certificates, because they may be large.
 */
export async function readCalendar(
  db: Database,
  { from, to, sources }: CalendarQuery,
): Promise<CalendarDay[]> {
  const asked = sources.flatMap((source) =>
    bookDaysOf(bookPeriod(from, to, source.zone), source.zone).map((day) => ({
      ...source,
      day,
      period: bookDay(day, source.zone),
    })),
  );
  const days = await selectCalendar.execute(db, asked);
  return days.map(({ refused, counted, ...day }) => {
    const totals = { ...emptyTotals(), ...counted, ...day };
    return { ...totals, result: refused ? "refused" : isEqual(totals) ? "equal" : "not_equal" };
  });
}
