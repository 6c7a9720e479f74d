import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import {
  type ConfirmationState,
  emailHash,
  plainColumn,
  plainEmail,
  plainStatus,
  readableDocument,
  type ShownVerdict,
} from "../pipeline/confirm/index.ts";
import { type EventState, eventState, isPaymentEvent, joinOutbox } from "../pipeline/publish/index.ts";
import {
  type Database,
  databaseTime,
  LOOKED_AT,
  nullable,
  type PagePosition,
  type PageSlice,
  type RowOf,
  returned,
  sliceOf,
  sourcesIn,
  VaryingStatement,
} from "../platform/database/index.ts";
import { readAs } from "../platform/validation/index.ts";
import { AMOUNT, addDays, amountIn, DAY_MS, NIL_UUID } from "../platform/values/index.ts";
import { collection, day, idGiven, name, shownVerdict, source, timeGiven, timeText } from "./list/fields.ts";

const NO_AMOUNT = "should be an amount such as 1500.50";

export const terms = {
  id: idGiven.optional().describe("only this invoice"),
  reference: name(1_000).optional().describe("only those with this merchant reference"),
  status: name(100)
    .optional()
    .describe("only those with this status at the provider, such as Paid; in any case"),
  amount: z
    .string()
    .regex(AMOUNT, { error: NO_AMOUNT, abort: true })
    .pipe(readAs(amountIn, NO_AMOUNT))
    .optional()
    .describe("only those with this amount, with or without charges"),
  from: day.optional().describe("only those paid on this day (UTC) or later"),
  to: day.optional().describe("only those paid on this day (UTC) or earlier"),
  confirmedFrom: timeGiven
    .optional()
    .describe("only those confirmed on this day (UTC), at this time, or later; sorts by confirmation"),
  confirmedTo: timeText
    // A day is meant whole.
    .transform((text) => (z.iso.date().safeParse(text).success ? addDays(text, 1) : text))
    .pipe(timeGiven)
    .optional()
    .describe(
      "only those confirmed on this day (UTC) or earlier, or before this time; sorts by confirmation",
    ),
  collection,
  verdict: shownVerdict.optional().describe("only those with this verdict; dead: given up"),
  source,
};

/** Personal data, which stays out of URLs. */
export const personalTerms = {
  email: name(320).optional().describe("only those of the payer with this address, whole, in any case"),
  payer: name(320)
    .optional()
    .describe("only those with these words in the payer's name, in any order and case"),
};

const every = z.object({ ...terms, ...personalTerms });

export type InvoiceTerms = Partial<z.output<typeof every>> & {
  /** The beginning of the id of the invoice, or of its event: eight digits or more. */
  idPrefix?: string | undefined;
};

/** For the test that prepares each shape of a statement. */
const EVERY_TERM = {
  ...Object.fromEntries(Object.keys(every.shape).map((term) => [term, ""])),
  idPrefix: "",
  amount: "0",
  verdict: "paid",
} as Required<InvoiceTerms>;

/** `shownVerdict`, where Postgres has to know it; null without a confirmation. */
const VERDICT = sql`
  case when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
    when confirmation.state = 'dead' then 'dead' when confirmation.state is not null then 'pending' end`;

/** The states of the confirmations without a verdict that are shown with this one, each with an index of its own. */
const UNANSWERED: Partial<Record<ShownVerdict, readonly ConfirmationState[]>> = {
  pending: ["due", "claimed"],
  dead: ["dead"],
};

const all = (conditions: RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

/** The conditions that no index supports. */
function compared({
  amount,
  payer,
  status,
  collection,
  verdict,
  source,
  confirmedFrom,
  confirmedTo,
}: InvoiceTerms): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  if (confirmedFrom !== undefined)
    conditions.push(sql`invoice.confirmed_at >= ${confirmedFrom}::timestamptz`);
  if (confirmedTo !== undefined) conditions.push(sql`invoice.confirmed_at < ${confirmedTo}::timestamptz`);
  if (amount !== undefined)
    conditions.push(sql`(invoice.total_amount = ${amount}::numeric or invoice.amount = ${amount}::numeric)`);
  if (payer !== undefined) {
    const { capitals, small, patterns } = wordsOf(payer);
    const payerName = sql`${readableDocument(sql`invoice.document`)}->>'payerName'`;
    // Postgres composes letters in UTF-8 only.
    const composed = sql`case getdatabaseencoding() when 'UTF8' then normalize(${payerName}) else ${payerName} end`;
    conditions.push(sql`translate(${composed}, ${capitals}, ${small}) like all(${patterns}::text[])`);
  }
  if (status !== undefined) conditions.push(sql`${plainColumn("invoice.status")} = ${plainStatus(status)}`);
  if (collection !== undefined) conditions.push(sql`invoice.collection_name = ${collection}`);
  if (verdict !== undefined) conditions.push(sql`${VERDICT} = ${verdict}`);
  if (source !== undefined) conditions.push(sql`coalesce(invoice.source, confirmation.source) = ${source}`);
  return sql`coalesce(${all(conditions)}, false)`;
}

/**
 * Words in small letters, and these letters with their capitals, so that Postgres compares them as we do: its own
 * `ilike` knows the letters of the database's locale, in C those of ASCII, in Turkish other pairs.
 */
function wordsOf(text: string) {
  const isOne = (letters: string) => [...letters].length === 1;
  const letters = [...text.normalize().trim()].map((letter) =>
    isOne(letter.toLowerCase()) ? letter.toLowerCase() : letter,
  );
  const small = [...new Set(letters)].filter((letter) => isOne(letter.toUpperCase()));
  return {
    capitals: small.map((letter) => letter.toUpperCase()).join(""),
    small: small.join(""),
    patterns: letters
      .join("")
      .split(/\s+/)
      .map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`),
  };
}

const paidBetween = ({ from, to }: InvoiceTerms) =>
  all([
    ...(from === undefined ? [] : [sql`invoice.paid_at >= (${from}::date)::timestamp at time zone 'UTC'`]),
    ...(to === undefined ? [] : [sql`invoice.paid_at < (${to}::date + 1)::timestamp at time zone 'UTC'`]),
  ]);

const FOUND = {
  invoiceId: returned.uuid,
  source: returned.text(),
  status: nullable(returned.text()),
  type: nullable(returned.text()),
  reference: nullable(returned.text()),
  collection: nullable(returned.text()),
  amount: nullable(returned.numeric),
  totalAmount: nullable(returned.numeric),
  paidAt: nullable(returned.time),
  confirmedAt: nullable(returned.time),
  verdict: nullable(returned.text<ShownVerdict>()),
  /** The state of its event, and its id; null without one. */
  event: nullable(returned.text<EventState>()),
  eventId: nullable(returned.uuid),
};

/** An invoice as a search shows it; the provider may not have confirmed it yet. No personal data. */
export type FoundInvoice = RowOf<typeof FOUND>;

const LISTED = sql`
  invoice.status, invoice.type, invoice.reference, invoice.collection_name as collection, invoice.amount,
  invoice.total_amount as "totalAmount", invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
  ${VERDICT} as verdict`;

const joinConfirmation = sql`
  left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id`;

const eventOf = (source: RawBuilder<unknown>, invoiceId: RawBuilder<unknown>) => {
  const ofEvent = (column: RawBuilder<unknown>, joining = sql``) => sql`
    (select ${column} from event ${joining}
      where event.source = ${source} and event.invoice_id = ${invoiceId} and ${isPaymentEvent} limit 1)`;
  return sql`${ofEvent(eventState, joinOutbox)} as event, ${ofEvent(sql`event.id`)} as "eventId"`;
};

interface Walk {
  terms: InvoiceTerms;
  after: PagePosition | null;
  most: number;
}

/** For the test that prepares each shape of a statement, as the terms of it. */
const ANYWHERE: PagePosition = { at: "", id: "", source: "" };
const WALKS: [Walk, ...Walk[]] = [
  { terms: { verdict: "not_paid" }, after: null, most: 1 },
  { terms: EVERY_TERM, after: ANYWHERE, most: 1 },
];

/** A condition: behind a position in the order of these columns, the newest first. */
const isAfter = (columns: RawBuilder<unknown>, after: PagePosition | null): RawBuilder<unknown> =>
  after === null
    ? sql`true`
    : sql`(${columns}) < (${after.at}::timestamptz, ${after.id}::uuid, ${after.source}::text)`;

const BY_CONFIRMATION = sql`invoice.confirmed_at, invoice.id, invoice.source`;

const selectNamed = new VaryingStatement(
  { ...FOUND, at: returned.text(), document: nullable(returned.text()) },
  ({ terms, after, most }: Walk) => {
    const { reference, email } = terms;
    return sql`
      select invoice.id as "invoiceId", invoice.source, ${LISTED},
        ${eventOf(sql`invoice.source`, sql`invoice.id`)}, invoice.confirmed_at::text as at,
        case when ${email !== undefined} then invoice.document::text end as document
      from invoice ${joinConfirmation}
      where ${reference === undefined ? sql`true` : sql`invoice.reference = ${reference}`}
        and ${email === undefined ? sql`true` : sql`invoice.payer_email_hash = ${emailHash(email)}`}
        and ${paidBetween(terms)} and ${compared(terms)} and ${isAfter(BY_CONFIRMATION, after)}
      order by invoice.confirmed_at desc, invoice.id desc, invoice.source desc limit ${most}`;
  },
  WALKS,
);

/** Examines the next `most` invoices with this reference or e-mail address, last confirmed first. */
export async function invoicesNamed(
  db: Database,
  terms: InvoiceTerms,
  after: PagePosition | null,
  most: number,
): Promise<PageSlice<FoundInvoice>> {
  const { email } = terms;
  const rows = await selectNamed.execute(db, { terms, after, most });
  const placed = rows.map(({ document, at, ...invoice }) => {
    const place = { at, id: invoice.invoiceId, source: invoice.source };
    return { document, invoice: { ...invoice, place } };
  });
  return {
    found: placed
      .filter(({ document }) => email === undefined || hasEmail(document, email))
      .map(({ invoice }) => invoice),
    end: rows.length === most ? (placed.at(-1)?.invoice.place ?? null) : null,
  };
}

/** Reads these invoices at each source. */
export const invoicesOfIds = (db: Database, terms: InvoiceTerms, ids: readonly string[]) =>
  selectByIds.execute(db, { terms, ids });

/** Compares the whole address, because several addresses may share a hash. */
function hasEmail(document: string | null, email: string): boolean {
  const given: unknown = JSON.parse(document ?? "{}")?.payerEmail;
  return typeof given === "string" && plainEmail(given) === plainEmail(email);
}

/** Starts from the confirmations, which include invoices that the provider never confirmed. */
const selectByIds = new VaryingStatement(
  FOUND,
  ({ terms, ids }: { terms: InvoiceTerms; ids: readonly string[] }) => sql`
    select known.id as "invoiceId", known.source, ${LISTED}, ${eventOf(sql`known.source`, sql`known.id`)}
    from (select source, invoice_id as id from confirmation where invoice_id = any(${ids}::uuid[])
      union select source, id from unnest(${sourcesIn("invoice")}) as source
        cross join unnest(${ids}::uuid[]) as id) as known
    left join invoice on invoice.source = known.source and invoice.id = known.id
    left join confirmation on confirmation.source = known.source and confirmation.invoice_id = known.id
    where (invoice.id is not null or confirmation.invoice_id is not null)
      and ${paidBetween(terms)} and ${compared(terms)}
    order by known.source, known.id`,
  [
    { terms: {}, ids: [] },
    { terms: EVERY_TERM, ids: [] },
  ],
);

const WALKED = { ...LOOKED_AT, ...FOUND };

const examining =
  (statement: VaryingStatement<Walk, typeof WALKED>) =>
  async (
    db: Database,
    terms: InvoiceTerms,
    after: PagePosition | null,
    most: number,
  ): Promise<PageSlice<FoundInvoice>> =>
    sliceOf(await statement.execute(db, { terms, after, most }), most, ({ invoiceId }) => invoiceId);

// A query for each source matches the index.
const selectByPayment = new VaryingStatement(
  WALKED,
  ({ terms, after, most }: Walk) => {
    const sources = terms.source === undefined ? sourcesIn("invoice") : sql`array[${terms.source}]::text[]`;
    return sql`
    select decided.*, ${eventOf(sql`decided.source`, sql`decided."invoiceId"`)} from (
      select invoice.paid_at::text as at,
        row_number() over (order by invoice.paid_at desc, invoice.id desc, invoice.source desc) as place,
        ${compared(terms)} as matches, invoice.id as "invoiceId", invoice.source, ${LISTED}
      from (
        select invoice.* from unnest(${sources}) as known (source)
        cross join lateral (
          select * from invoice
          where invoice.source = known.source and invoice.paid_at is not null and ${paidBetween(terms)}
            and ${after === null ? sql`true` : sql`invoice.paid_at <= ${after.at}::timestamptz`}
            and ${isAfter(sql`invoice.paid_at, invoice.id, invoice.source`, after)}
          order by invoice.paid_at desc, invoice.id desc limit ${most}) as invoice
        order by invoice.paid_at desc, invoice.id desc, invoice.source desc limit ${most}) as invoice
      ${joinConfirmation}) as decided
    where matches or place = ${most} order by place`;
  },
  WALKS,
);

/** Examines the next `most` invoices by payment date, newest first. */
export const invoicesByPayment = examining(selectByPayment);

const selectByRequest = new VaryingStatement(
  WALKED,
  ({ terms, after, most }: Walk) => {
    const { verdict = "pending" } = terms;
    const which = [
      sql`verdict = ${verdict === "dead" ? "pending" : verdict} and verdict <> 'paid'`,
      ...(UNANSWERED[verdict] ?? []).map((state) => sql`state = ${sql.lit(state)} and verdict is null`),
    ];
    const newest = sql`order by opened_at desc, invoice_id desc, source desc limit ${most}`;
    const each = which.map(
      (one) => sql`
        (select * from confirmation where ${one} and ${isAfter(sql`opened_at, invoice_id, source`, after)} ${newest})`,
    );
    return sql`
    select decided.*, ${eventOf(sql`decided.source`, sql`decided."invoiceId"`)} from (
      select confirmation.opened_at::text as at,
        row_number() over (order by opened_at desc, invoice_id desc, confirmation.source desc) as place,
        ${all([compared(terms), paidBetween(terms)])} as matches,
        confirmation.invoice_id as "invoiceId", confirmation.source, ${LISTED}
      from (select * from (${sql.join(each, sql` union all `)}) as one ${newest}) as confirmation
      left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
      ) as decided
    where matches or place = ${most} order by place`;
  },
  [...WALKS, { terms: { ...EVERY_TERM, verdict: "pending" }, after: ANYWHERE, most: 1 }],
);

/** Examines the next `most` invoices with a verdict other than paid, last requested first. */
export const invoicesByRequest = examining(selectByRequest);

/** About how many rows one statement examines; more than the limit and it covers a shorter time instead. */
const ENOUGH = 10_000;
const LIMIT = 40_000;
/** The time that the first statement covers, and the shortest: that one has no limit. */
const FIRST_MS = 60_000;
const LEAST_MS = 1_000;
/** Nothing was confirmed before: there was no relay. */
const BEGINNING = Date.parse("2020-01-01");

interface Slice extends Walk {
  after: PagePosition;
  since: Date;
  isBounded: boolean;
}

// The few that match are looked up one by one: no reason to read the whole table.
const selectByConfirmation = new VaryingStatement(
  { ...FOUND, invoiceId: nullable(returned.uuid), at: nullable(returned.text()), examined: returned.count },
  ({ terms, after, most, since, isBounded }: Slice) => {
    return sql`
    with examined as materialized (
      select invoice.source, invoice.id, invoice.confirmed_at, ${compared(terms)} as matches
      from invoice ${joinConfirmation}
      where invoice.confirmed_at >= ${since}::timestamptz
        and invoice.confirmed_at <= ${after.at}::timestamptz and ${isAfter(BY_CONFIRMATION, after)}
      ${isBounded ? sql`limit ${LIMIT}` : sql``}),
    chosen as (
      select source, id from examined where matches
      order by confirmed_at desc, id desc, source desc limit ${most})
    select invoice.id as "invoiceId", coalesce(invoice.source, '') as source, ${LISTED},
      ${eventOf(sql`invoice.source`, sql`invoice.id`)}, invoice.confirmed_at::text as at, total.examined
    from (select count(*) as examined from examined) as total
    left join (chosen
      cross join lateral (select * from invoice
        where invoice.source = chosen.source and invoice.id = chosen.id limit 1) as invoice
      ${joinConfirmation}) on true
    order by invoice.confirmed_at desc, invoice.id desc, invoice.source desc`;
  },
  [
    { terms: {}, after: ANYWHERE, most: 1, since: new Date(0), isBounded: false },
    { terms: EVERY_TERM, after: ANYWHERE, most: 1, since: new Date(0), isBounded: true },
  ],
);

/**
 * Examines invoices by their newest confirmation, newest first, up to `most` that match. Its index knows
 * ranges only, so a statement reads a span of time once, as long as holds about `ENOUGH` rows: each call goes
 * on with the span that the one before arrived at.
 */
export async function walkByConfirmation(db: Database, terms: InvoiceTerms, most: number) {
  const { confirmedFrom, confirmedTo } = terms;
  const now = +(await databaseTime(db));
  const begin = confirmedFrom === undefined ? BEGINNING : Date.parse(confirmedFrom);
  // A clock ahead of Postgres' may have confirmed some.
  const end = Math.min(now + DAY_MS, confirmedTo === undefined ? Infinity : Date.parse(confirmedTo));
  let span = FIRST_MS;
  return async (after: PagePosition | null): Promise<PageSlice<FoundInvoice>> => {
    const from = after ?? placeAt(end);
    for (;;) {
      const since = Math.max(begin, Math.min(Date.parse(from.at), now) - span);
      const isBounded = span > LEAST_MS;
      const rows = await selectByConfirmation.execute(db, {
        ...{ terms, after: from, most, isBounded },
        since: new Date(since),
      });
      const examined = rows[0]?.examined ?? 0;
      if (isBounded && examined === LIMIT) {
        span = Math.max(LEAST_MS, span / 64);
        continue;
      }
      if (examined < ENOUGH) span *= 4;
      const found = rows.flatMap(({ at, invoiceId, examined: _, ...row }) =>
        at === null || invoiceId === null
          ? []
          : [{ ...row, invoiceId, place: { at, id: invoiceId, source: row.source } }],
      );
      const isFull = found.length === most;
      return { found, end: isFull ? (found.at(-1)?.place ?? null) : since > begin ? placeAt(since) : null };
    }
  };
}

/** Before all that was confirmed at this time or later. */
const placeAt = (ms: number): PagePosition => ({
  // As Postgres writes it, which is what a cursor holds.
  at: new Date(ms).toISOString().replace("T", " ").replace("Z", "+00"),
  id: NIL_UUID,
  source: "",
});
