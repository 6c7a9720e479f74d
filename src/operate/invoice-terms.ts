import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { plainStatus } from "../confirm/invoices/confirmed-invoice.ts";
import { plainColumn, readableDocument } from "../confirm/invoices/read-invoices.ts";
import { readAs } from "../kit/problems.ts";
import { amountIn } from "../kit/text.ts";
import { addDays } from "../kit/time.ts";
import { collection, day, id, name, shownVerdict, source, timeGiven } from "./operations/fields.ts";

export const terms = {
  id: id.optional().describe("only this invoice"),
  reference: name(1_000).optional().describe("only those with this merchant reference"),
  status: name(100)
    .optional()
    .describe("only those with this status at the provider, such as Paid; in any case"),
  amount: readAs(amountIn, "should be an amount such as 1500.50")
    .optional()
    .describe("only those with this amount, with or without charges"),
  from: day.optional().describe("only those paid on this day (UTC) or later"),
  to: day.optional().describe("only those paid on this day (UTC) or earlier"),
  confirmedFrom: timeGiven
    .optional()
    .describe("only those confirmed on this day (UTC), at this time, or later; sorts by confirmation"),
  confirmedTo: z
    .string()
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

/** Those that stay out of URLs. */
export const personalTerms = {
  email: name(320).optional().describe("only those of the payer with this address, whole, in any case"),
  payer: name(320)
    .optional()
    .describe("only those with these words in the payer's name, in any order and case"),
};

const every = z.object({ ...terms, ...personalTerms });

export type InvoiceTerms = Partial<z.output<typeof every>> & {
  /** What the id of the invoice, or of its event, begins with: eight digits or more. */
  idPrefix?: string | undefined;
};

/** For the test that prepares each shape of a statement. */
export const EVERY_TERM = {
  ...Object.fromEntries(Object.keys(every.shape).map((term) => [term, ""])),
  idPrefix: "",
  amount: "0",
  verdict: "paid",
} as Required<InvoiceTerms>;

/** `shownVerdict`, where Postgres has to know it. */
export const VERDICT = sql`
  case when confirmation.state = 'dead' and coalesce(confirmation.verdict, 'pending') = 'pending'
    then 'dead' else confirmation.verdict end`;

export const all = (conditions: RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

/** The conditions that no index supports. */
export function compared({
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

export const paidBetween = ({ from, to }: InvoiceTerms) =>
  all([
    ...(from === undefined ? [] : [sql`invoice.paid_at >= (${from}::date)::timestamp at time zone 'UTC'`]),
    ...(to === undefined ? [] : [sql`invoice.paid_at < (${to}::date + 1)::timestamp at time zone 'UTC'`]),
  ]);
