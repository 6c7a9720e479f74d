import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Result, Tally } from "./certificate/certificate.ts";

/** One day of payment of one source, as the newest certificate that covers it says. */
export interface CalendarDay {
  /** UTC, YYYY-MM-DD. */
  day: string;
  source: string;
  certificateId: string;
  madeAt: Date;
  /** Of this day alone. */
  result: Result;
  paid: Tally;
  stored: Tally;
  published: Tally;
  /** Paid at the provider, and not accepted on the right topic. */
  missing: Tally;
  /** What else could hide money. */
  differences: number;
}

interface Covered {
  name: string;
  collectionIds: readonly string[];
}

interface Row {
  day: string;
  source: string;
  certificateId: string;
  madeAt: Date;
  refused: boolean;
  paid: number;
  paidAmount: string;
  stored: number;
  storedAmount: string;
  published: number;
  publishedAmount: string;
  gaps: number;
  gapsAmount: string;
  differences: number;
}

/**
 * Days of payment as certificates show them: a day that no finished certificate of all the source's
 * collections covers is left out. A certificate is taken apart by Postgres, however many differences it
 * names.
 * @param from, to YYYY-MM-DD, both included
 * @param sources with all their collections: a certificate of fewer says nothing about a day.
 */
export async function readCalendar(
  db: Kysely<Tables>,
  { from, to, sources }: { from: string; to: string; sources: readonly Covered[] },
): Promise<CalendarDay[]> {
  const { rows } = await sql<Row>`
    with asked as (select day::date as day
      from generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as day),
    covering as (
      select distinct on (certificate.source, asked.day) certificate.source, asked.day, certificate.id,
        certificate.finished_at, certificate.result
      from asked join certificate on certificate.state = 'done'
        and certificate.window_from <= asked.day::timestamp at time zone 'UTC'
        and certificate.window_to >= (asked.day + 1)::timestamp at time zone 'UTC'
      join unnest(${sources.map(({ name }) => name)}::text[],
          ${sources.map(({ collectionIds }) => `{${collectionIds.join(",")}}`)}::text[]) as whole (source,
          ids)
        on whole.source = certificate.source and certificate.collection_ids @> whole.ids::uuid[]
      order by certificate.source, asked.day, certificate.finished_at desc),
    documents as (
      select id, document, differences > 0 as differs from certificate
      where id in (select id from covering)),
    totals as (
      select documents.id, (item ->> 'day')::date as day, item from documents,
        json_array_elements(document -> 'days') as item),
    named as (
      select documents.id, item ->> 'day' as day,
        count(*) filter (where item ->> 'weight' = 'gap') as gaps,
        coalesce(sum((item ->> 'amount')::numeric) filter (where item ->> 'weight' = 'gap'), 0) as amount,
        count(*) filter (where item ->> 'weight' = 'difference') as differences
      from documents, json_array_elements(case when differs then document -> 'differences' end) as item
      group by 1, 2)
    select covering.day::text as day, covering.source, covering.id as "certificateId",
      covering.finished_at as "madeAt", covering.result = 'refused' as refused,
      ${tallied("paid")}, ${tallied("stored")}, ${tallied("published")},
      coalesce(named.gaps, 0) as gaps, coalesce(named.amount, 0)::text as "gapsAmount",
      coalesce(named.differences, 0) as differences
    from covering
    left join totals on totals.id = covering.id and totals.day = covering.day
    left join named on named.id = covering.id and named.day = covering.day::text
    order by covering.day, covering.source`.execute(db);
  return rows.map(dayOf);
}

const tallied = (name: "paid" | "stored" | "published") => sql`
  coalesce((totals.item -> ${sql.lit(name)} ->> 'count')::int, 0) as ${sql.ref(name)},
  coalesce(totals.item -> ${sql.lit(name)} ->> 'amount', '0.00') as ${sql.ref(`${name}Amount`)}`;

function dayOf({ day, source, certificateId, madeAt, refused, gaps, gapsAmount, differences, ...row }: Row) {
  const paid = { count: row.paid, amount: row.paidAmount };
  const stored = { count: row.stored, amount: row.storedAmount };
  const published = { count: row.published, amount: row.publishedAmount };
  const missing = { count: gaps, amount: gapsAmount };
  const agrees = [stored, published].every(
    ({ count, amount }) => count === paid.count && amount === paid.amount,
  );
  const isEqual = agrees && gaps + differences === 0;
  const result: Result = refused ? "refused" : isEqual ? "equal" : "not_equal";
  return { day, source, certificateId, madeAt, result, paid, stored, published, missing, differences };
}
