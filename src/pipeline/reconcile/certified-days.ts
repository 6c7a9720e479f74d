import { sql, type Transaction } from "kysely";
import { z } from "zod";
import { type AlarmName, clearAlarms, ENDED_ALARMS, type EndedAlarm } from "../../platform/alarms/index.ts";
import {
  type Columns,
  type Database,
  integer,
  json,
  nullable,
  returned,
  type Slots,
  Statement,
  type Tables,
  text,
  time,
  uuid,
} from "../../platform/database/index.ts";
import { answeredId, time as answeredTime, whole } from "../../platform/validation/index.ts";
import { bookDay, bookDaysOf, lastBookDay } from "../../platform/values/index.ts";
import { type Certificate, type Result, result, type Totals, totals } from "./certificate/certificate.ts";
import { emptyTotals, isEqual } from "./certificate/summary.ts";

// `certified_day`: what the newest certificate that covers a day of payment shows of it.

interface CertifiedDay {
  certificate: Certificate;
  day: string;
  result: Result;
  /** Payments missing on it; 0 of a refused certificate, which cannot count them. */
  gaps: number;
  /** null: nothing was paid on it. */
  counted: Totals | null;
}

/**
 * The days that a certificate shows something of. A refused one proves none of its days; one that is not equal
 * and names no day leaves its last one open. A day of which it covers only a part is not proven by it. Pure.
 */
function daysOf(certificate: Certificate): CertifiedDay[] {
  const { days, basis, result, gaps } = certificate;
  const [from, to] = [new Date(certificate.from), new Date(certificate.to)];
  // A month to date shows nothing, so it takes nothing from what others showed of the days before.
  if (result === "refused" && to > new Date(certificate.madeAt)) return [];
  const counted = new Map(days.map(({ day, ...totals }) => [day, totals]));
  const namesNone = result === "not_equal" && days.every(isEqual);
  const last = lastBookDay({ to }, basis.zone);
  return bookDaysOf({ from, to }, basis.zone).flatMap((day) => {
    const ofDay = { certificate, day, counted: counted.get(day) ?? null };
    if (result === "refused") return { ...ofDay, result, gaps: 0 };
    if (namesNone && day === last) return { ...ofDay, result, gaps };
    if (ofDay.counted !== null && !isEqual(ofDay.counted))
      return { ...ofDay, result: "not_equal", gaps: ofDay.counted.missing.count };
    const period = bookDay(day, basis.zone);
    return from <= period.from && to >= period.to ? { ...ofDay, result: "equal", gaps: 0 } : [];
  });
}

const DAY: Columns<CertifiedDay> = {
  source: text(({ certificate }) => certificate.source),
  day: text(({ day }) => day),
  time_zone: text(({ certificate }) => certificate.basis.zone),
  begins_at: time(({ certificate, day }) => bookDay(day, certificate.basis.zone).from),
  ends_at: time(({ certificate, day }) => bookDay(day, certificate.basis.zone).to),
  certificate_id: uuid(({ certificate }) => certificate.id),
  result: text(({ result }) => result),
  gaps: integer(({ gaps }) => gaps),
  counted: json(({ counted }) => counted && JSON.stringify(counted)),
};

/** Deletes the days that the new certificate covers, in any zone, of its collections or fewer. */
const deleteOlder = new Statement(
  {},
  ({ table, value }: Slots<readonly CertifiedDay[]>) => sql`
    delete from certified_day as known
    using certificate as older, certificate as newer
    where older.id = known.certificate_id and newer.id = ${value(([first]) => first?.certificate.id)}
      and newer.source = known.source and older.collection_ids <@ newer.collection_ids
      and (known.begins_at >= newer.window_from and known.ends_at <= newer.window_to
        or (known.time_zone, known.day) in
          (select time_zone, day::date from ${table("shown", DAY, (days) => days)}))`,
);

const insertDays = new Statement(
  {},
  ({ table }: Slots<readonly CertifiedDay[]>) => sql`
    insert into certified_day (${sql.join(Object.keys(DAY).map((column) => sql.id(column)))})
    select source, day::date, time_zone, begins_at, ends_at, certificate_id, result, gaps, counted
    from ${table("shown", DAY, (days) => days)}`,
);

/** Keeps the days of a certificate, in the transaction that finishes it. */
export async function keepCertifiedDays(trx: Transaction<Tables>, certificate: Certificate): Promise<void> {
  const days = daysOf(certificate);
  if (days.length === 0) return;
  await deleteOlder.execute(trx, days);
  await insertDays.execute(trx, days);
}

interface Covered {
  name: string;
  collectionIds: readonly string[];
}

const COVERED: Columns<Covered> = {
  name: text(({ name }) => name),
  // As text: unnest would flatten an array of arrays.
  ids: text(({ collectionIds }) => `{${collectionIds.join(",")}}`),
};

/** A day of payment of one source, according to the newest certificate that covers it. */
export const calendarDay = totals.extend({
  /** In the zone of the source's books, YYYY-MM-DD. */
  day: z.string(),
  source: z.string(),
  certificateId: answeredId,
  madeAt: answeredTime,
  result: result.describe("Of this day alone: equal unless something is missing or different."),
});
type CalendarDay = z.output<typeof calendarDay>;

interface CoveredSource extends Covered {
  zone: string;
}

interface CalendarQuery {
  /** YYYY-MM-DD, both included. */
  from: string;
  to: string;
  /** With all their collections: a certificate of fewer proves nothing about a day. */
  sources: readonly CoveredSource[];
}

const ASKED: Columns<CoveredSource> = { ...COVERED, zone: text(({ zone }) => zone) };

const selectCalendar = new Statement(
  {
    day: returned.text(),
    source: returned.text(),
    certificateId: returned.uuid,
    madeAt: returned.time,
    result: returned.text<Result>(),
    counted: nullable(returned.json<Totals>()),
  },
  ({ table, value }: Slots<CalendarQuery>) => sql`
    select distinct on (known.day, known.source) known.day::text, known.source, certificate.id as "certificateId", certificate.finished_at as "madeAt",
      known.result, known.counted
    from certified_day as known join certificate on certificate.id = known.certificate_id
    join ${table("asked", ASKED, ({ sources }) => sources)} on asked.name = known.source
      and asked.zone = known.time_zone and certificate.collection_ids @> asked.ids::uuid[]
    where known.day between ${value(({ from }) => from)}::date and ${value(({ to }) => to)}::date
    order by known.day, known.source, certificate.finished_at desc`,
);

/** A day is left out if no finished certificate of all the source's collections and of its zone covers it. */
export async function readCalendar(db: Database, query: CalendarQuery): Promise<CalendarDay[]> {
  const days = await selectCalendar.execute(db, query);
  return days.map(({ counted, ...day }) => ({ ...emptyTotals(), ...counted, ...day }));
}

/** Days of payment that a certificate could not prove, and that no later one has proven. */
export const unprovenDaysFound = z.object({
  source: z.string(),
  certificateId: answeredId.describe("The newest one that covers these days."),
  result: z.enum(["not_equal", "refused"]),
  madeAt: answeredTime,
  days: whole,
  /** In the zone of the certificate, YYYY-MM-DD. */
  firstDay: z.string(),
  lastDay: z.string(),
  /** Payments missing on these days; 0 of a refused certificate, which cannot count them. */
  gaps: whole,
});

const selectUnproven = new Statement(
  {
    source: returned.text(),
    certificateId: returned.uuid,
    result: returned.text<"not_equal" | "refused">(),
    madeAt: returned.time,
    days: returned.count,
    firstDay: returned.text(),
    lastDay: returned.text(),
    gaps: returned.count,
  },
  ({ table, value }: Slots<readonly Covered[] | null>) => sql`
    select known.source, certificate.id as "certificateId", known.result, certificate.finished_at as "madeAt",
      count(*) as days, min(known.day)::text as "firstDay", max(known.day)::text as "lastDay", sum(known.gaps) as gaps
    from certified_day as known join certificate on certificate.id = known.certificate_id
    where known.result <> 'equal' and (${value((sources) => sources === null)}::boolean or exists (
      select from ${table("served", COVERED, (sources) => sources ?? [])}
      where served.name = known.source
        and (served.ids = '{}' or certificate.collection_ids && served.ids::uuid[])))
    group by known.source, certificate.id, known.result, certificate.finished_at
    order by certificate.finished_at desc`,
);

/**
 * By source and certificate, the newest first.
 * @param sources those of the settings; null for all. Days of collections that a source no longer names are
 *   left out, unless it names no collection at all.
 */
export const readUnprovenDays = (db: Database, sources: readonly Covered[] | null) =>
  selectUnproven.execute(db, sources);

/** Raised by a certificate that is not equal, and over once no day of the source is unproven. */
export const GAP: AlarmName = "certificate_gap";

const closeGap = new Statement(
  ENDED_ALARMS,
  ({ value }: Slots<string>) => sql`
    ${clearAlarms(sql`name = ${sql.lit(GAP)} and source = ${value((source) => source)}
      and not exists (select from certified_day
        where certified_day.source = ${value((source) => source)} and result <> 'equal')`)}
    returning name, source, subject`,
);

/** Closes the alarm of a source whose days are all proven, in the transaction that proved the last of them. */
export const closeProvenGap = (trx: Transaction<Tables>, source: string): Promise<EndedAlarm[]> =>
  closeGap.execute(trx, source);
