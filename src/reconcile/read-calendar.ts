import { type Kysely, sql } from "kysely";
import { type Columns, text } from "../database/columns.ts";
import { type ResultOf, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { Result, Totals } from "./certificate/certificate.ts";

/** One day of payment of one source, according to the newest certificate that covers it. */
export interface CalendarDay extends Totals {
  /** UTC, YYYY-MM-DD. */
  day: string;
  source: string;
  certificateId: string;
  madeAt: Date;
  /** Of this day alone. */
  result: Result;
}

interface Covered {
  name: string;
  collectionIds: readonly string[];
}

interface Wanted {
  /** YYYY-MM-DD, both included. */
  from: string;
  to: string;
  /** With all their collections: a certificate of fewer proves nothing about a day. */
  sources: readonly Covered[];
}

const tallied = (name: "paid" | "stored" | "published" | "missing") => sql`
  coalesce((totals.item -> ${sql.lit(name)} ->> 'count')::int, 0) as ${sql.ref(name)},
  coalesce(totals.item -> ${sql.lit(name)} ->> 'amount', '0.00') as ${sql.ref(`${name}Amount`)}`;

const WHOLE: Columns<Covered> = {
  source: text(({ name }) => name),
  // As text: unnest would flatten an array of arrays.
  ids: text(({ collectionIds }) => `{${collectionIds.join(",")}}`),
};

const reading = new Statement(
  {
    day: returned.text(),
    source: returned.text(),
    certificateId: returned.uuid,
    madeAt: returned.time,
    refused: returned.boolean,
    paid: returned.integer,
    paidAmount: returned.text(),
    stored: returned.integer,
    storedAmount: returned.text(),
    published: returned.integer,
    publishedAmount: returned.text(),
    missing: returned.integer,
    missingAmount: returned.text(),
    differences: returned.integer,
  },
  ({ value, table }: Slots<Wanted>) => sql`
    with asked as (select day::date as day
      from generate_series(${value(({ from }) => from)}::date::timestamp,
        ${value(({ to }) => to)}::date::timestamp, interval '1 day') as day),
    covering as (
      select distinct on (certificate.source, asked.day) certificate.source, asked.day, certificate.id,
        certificate.finished_at, certificate.result
      from asked join certificate on certificate.state = 'done'
        and certificate.window_from <= asked.day::timestamp at time zone 'UTC'
        and certificate.window_to >= (asked.day + 1)::timestamp at time zone 'UTC'
      join ${table("whole", WHOLE, ({ sources }) => sources)}
        on whole.source = certificate.source and certificate.collection_ids @> whole.ids::uuid[]
      order by certificate.source, asked.day, certificate.finished_at desc),
    totals as (
      select certificate.id, (item ->> 'day')::date as day, item
      from certificate, json_array_elements(document -> 'days') as item
      where certificate.id in (select id from covering))
    select covering.day::text as day, covering.source, covering.id as "certificateId",
      covering.finished_at as "madeAt", covering.result = 'refused' as refused,
      ${tallied("paid")}, ${tallied("stored")}, ${tallied("published")}, ${tallied("missing")},
      coalesce((totals.item ->> 'differences')::int, 0) as differences
    from covering
    left join totals on totals.id = covering.id and totals.day = covering.day
    order by covering.day, covering.source`,
);

/**
 * Days of payment according to certificates: a day is left out if no finished certificate of all the source's
 * collections covers it. Postgres parses the certificates, because they may be large.
 */
export const readCalendar = async (db: Kysely<Tables>, wanted: Wanted): Promise<CalendarDay[]> =>
  (await reading.execute(db, wanted)).map(dayOf);

function dayOf(found: ResultOf<typeof reading>): CalendarDay {
  const { day, source, certificateId, madeAt, refused, differences } = found;
  const paid = { count: found.paid, amount: found.paidAmount };
  const stored = { count: found.stored, amount: found.storedAmount };
  const published = { count: found.published, amount: found.publishedAmount };
  const missing = { count: found.missing, amount: found.missingAmount };
  const agrees = [stored, published].every(
    ({ count, amount }) => count === paid.count && amount === paid.amount,
  );
  const isEqual = agrees && missing.count + differences === 0;
  const result: Result = refused ? "refused" : isEqual ? "equal" : "not_equal";
  return { day, source, certificateId, madeAt, result, paid, stored, published, missing, differences };
}
