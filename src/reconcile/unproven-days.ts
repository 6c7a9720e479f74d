import { sql, type Transaction } from "kysely";
import { z } from "zod";
import { type AlarmName, clearAlarms, ENDED_ALARMS, type EndedAlarm } from "../alarms/alarms.ts";
import {
  type Columns,
  nullable,
  type RowOf,
  returned,
  type Slots,
  Statement,
  text,
} from "../database/statement.ts";
import type { Database, Tables } from "../database/tables.ts";
import { answeredId, time, whole } from "../kit/answer-fields.ts";
import { type BookPeriod, bookDay, bookDaysOf, lastBookDay } from "../kit/time.ts";
import type { Result } from "./certificate/certificate.ts";

/** Days of payment that one certificate found wanting, and none has proven since. */
export const unprovenDaysFound = z.object({
  source: z.string(),
  certificateId: answeredId.describe("The newest one that covers these days."),
  result: z.enum(["not_equal", "refused"]),
  madeAt: time,
  days: whole,
  /** In the zone of the certificate, YYYY-MM-DD. */
  firstDay: z.string(),
  lastDay: z.string(),
  /** Payments missing on these days; 0 of a refused one, which knows of none. */
  gaps: whole,
});
type UnprovenDays = z.output<typeof unprovenDaysFound>;

type Sources = readonly { name: string; collectionIds: readonly string[] }[];

const SERVED: Columns<Sources[number]> = {
  name: text(({ name }) => name),
  // As text: unnest would flatten an array of arrays.
  ids: text(({ collectionIds }) => `{${collectionIds.join(",")}}`),
};

const MADE = {
  id: returned.uuid,
  source: returned.text(),
  collectionIds: returned.json<string[]>(),
  from: returned.time,
  to: returned.time,
  zone: returned.text(),
  result: returned.text<Result>(),
  gaps: returned.integer,
  madeAt: returned.time,
  /** The days that are not equal, of one that is not superseded as a whole. */
  wanting: nullable(returned.json<{ day: string; gaps: number }[]>()),
};

/** A finished certificate of a source that has one which is not equal. */
type MadeCertificate = RowOf<typeof MADE>;

/**
 * Refused because the period was not over, as one of a month to date: it shows nothing, so it takes nothing from what
 * others showed of the days before.
 */
export const MADE_TOO_EARLY = sql`(certificate.result = 'refused' and certificate.window_to > certificate.finished_at)`;

/** Only the documents of those that are not superseded as a whole are parsed, since they may be large. */
const selectMade = new Statement(
  MADE,
  ({ value, table }: Slots<{ all: boolean; sources: Sources }>) => sql`
    with made as (
      select id, source, collection_ids, window_from, window_to, time_zone, result, gaps, finished_at, document
      from certificate where state = 'done' and (${value(({ all }) => all)}::boolean or exists (
        select from ${table("served", SERVED, ({ sources }) => sources)}
        where served.name = certificate.source
          and (served.ids = '{}' or certificate.collection_ids && served.ids::uuid[])))
        and not ${MADE_TOO_EARLY}),
    wanting as (
      select id, source, document from made where result <> 'equal' and not exists (
        select from made as later
        where later.source = made.source and later.finished_at > made.finished_at
          and later.collection_ids @> made.collection_ids
          and later.window_from <= made.window_from and later.window_to >= made.window_to))
    select made.id, made.source, to_json(made.collection_ids) as "collectionIds", made.window_from as "from",
      made.window_to as "to", made.time_zone as zone, made.result, made.gaps, made.finished_at as "madeAt",
      (select coalesce(json_agg(json_build_object(
          'day', item ->> 'day', 'gaps', (item -> 'missing' ->> 'count')::integer)), '[]')
        from json_array_elements(wanting.document -> 'days') as item
        where (item -> 'missing' ->> 'count')::integer + (item ->> 'differences')::integer > 0
          or (item -> 'paid')::text is distinct from (item -> 'stored')::text
          or (item -> 'paid')::text is distinct from (item -> 'published')::text) as wanting
    from made left join wanting on wanting.id = made.id
    where made.source in (select source from wanting)`,
);

interface OpenDays {
  found: MadeCertificate;
  open: { day: string; gaps: number }[];
}

/**
 * The days that the newest certificate which covers them does not prove, by source and certificate, the newest
 * first. A finding is settled only by a later certificate of at least the same collections, the daily run's
 * and one made by hand alike. A refused one proves none of its days, and one that names no day leaves its last
 * one open. Pure.
 */
function openDays(made: readonly MadeCertificate[]): OpenDays[] {
  // Mostly the next one settles a day: three years of daily certificates would take seconds otherwise.
  const inOrder = made.toSorted((one, other) => +one.madeAt - +other.madeAt);
  const periods = new Map<string, BookPeriod>();
  const periodOf = (day: string, zone: string): BookPeriod => {
    const key = `${day} ${zone}`;
    const period = periods.get(key) ?? bookDay(day, zone);
    periods.set(key, period);
    return period;
  };
  const openOf = (found: MadeCertificate, others: readonly MadeCertificate[]) =>
    wantingDays(found).filter(({ day }) => {
      const { from, to } = periodOf(day, found.zone);
      return !others.some(
        (later) =>
          later.from <= from &&
          later.to >= to &&
          later.source === found.source &&
          later.madeAt > found.madeAt &&
          found.collectionIds.every((id) => later.collectionIds.includes(id)),
      );
    });
  return inOrder
    .flatMap((found, index) =>
      found.result === "equal" ? [] : [{ found, open: openOf(found, inOrder.slice(index + 1)) }],
    )
    .toReversed();
}

/** Whether one of more collections, such as the source's beside its parts', finds the same. */
const isTold = ({ found, open }: OpenDays, others: readonly OpenDays[]): boolean =>
  others.some(
    (other) =>
      other.found.source === found.source &&
      other.found.zone === found.zone &&
      other.found.result === found.result &&
      other.found.collectionIds.length > found.collectionIds.length &&
      found.collectionIds.every((id) => other.found.collectionIds.includes(id)) &&
      open.every(({ day, gaps }) => other.open.some((one) => one.day === day && one.gaps >= gaps)),
  );

/** The same as a person is told of them: each day once. Pure. */
function unprovenDays(made: readonly MadeCertificate[]): UnprovenDays[] {
  const all = openDays(made);
  return all.flatMap((one) => {
    const { id, source, result, madeAt } = one.found;
    const [first, last] = [one.open[0], one.open.at(-1)];
    if (result === "equal" || first === undefined || last === undefined || isTold(one, all)) return [];
    const gaps = one.open.reduce((sum, day) => sum + day.gaps, 0);
    const days = { days: one.open.length, firstDay: first.day, lastDay: last.day, gaps };
    return [{ source, certificateId: id, result, madeAt, ...days }];
  });
}

function wantingDays({ result, from, to, zone, gaps, wanting }: MadeCertificate) {
  if (result === "refused") return bookDaysOf({ from, to }, zone).map((day) => ({ day, gaps: 0 }));
  if (wanting !== null && wanting.length > 0)
    return wanting.toSorted((one, other) => (one.day < other.day ? -1 : 1));
  return [{ day: lastBookDay({ to }, zone), gaps }];
}

/**
 * @param sources those of the settings; null for all. What was found of collections that a source names no
 *   more is not told, unless it names none.
 */
export const readUnprovenDays = async (db: Database, sources: Sources | null): Promise<UnprovenDays[]> =>
  unprovenDays(await selectMade.execute(db, { all: sources === null, sources: sources ?? [] }));

/** Raised by a certificate that is not equal, and over once no day of the source is unproven. */
export const GAP: AlarmName = "certificate_gap";

const closeGap = new Statement(
  ENDED_ALARMS,
  ({ value }: Slots<string>) => sql`
    ${clearAlarms(sql`name = ${sql.lit(GAP)} and source = ${value((source) => source)}`)}
    returning name, source, subject`,
);

/** Closes the alarm of a source whose days are all proven, in the transaction that proved the last of them. */
export async function closeProvenGap(trx: Transaction<Tables>, source: string): Promise<EndedAlarm[]> {
  const unproven = await readUnprovenDays(trx, null);
  return unproven.some((days) => days.source === source) ? [] : await closeGap.execute(trx, source);
}
