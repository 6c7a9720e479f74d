import { stringify } from "csv-stringify/sync";
import { signatureText } from "../../../platform/signing/index.ts";
import { CSV_FORM } from "../../../platform/values/index.ts";
import { type Certificate, type Difference, PROVISIONAL, type Totals } from "./certificate.ts";

const COLUMNS = [
  "row",
  "certificate",
  "source",
  "result",
  "day",
  "paid",
  "paid_amount",
  "stored",
  "stored_amount",
  "published",
  "published_amount",
  "missing",
  "missing_amount",
  "differences",
  "invoice",
  "event",
  "amount",
  "reason",
  "detail",
  "scope",
  "collection",
  "currency",
  "zone",
  "reference",
] as const;

/**
 * The merchant's own references, by invoice. They may name a person, so no certificate keeps them: they are read
 * when a table is made, and gone once they are erased.
 */
export type References = ReadonlyMap<string, string | null>;

type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

// Certificates as one table for finance, RFC 4180: a row for each day, the total, Test invoices, foreign ones, whether
// it is provisional, each refusal and each named difference. Pure.

export const csvHeader = `${COLUMNS.join(",")}\r\n`;

/** The lines of a certificate other than its differences. */
export function csvHead(certificate: Certificate): string {
  const { days, total, test, foreign, refusals, basis, signature } = certificate;
  return linesOf(certificate, [
    ...days.map(({ day, ...totals }): Row => ({ row: "day", day, ...columns(totals) })),
    { row: "total", ...columns(total) },
    { row: "test", paid: test.count, paid_amount: test.amount },
    { row: "foreign", paid: foreign.count, paid_amount: foreign.amount },
    ...(basis.provisional ? [{ row: "provisional", detail: PROVISIONAL }] : []),
    ...refusals.map((detail): Row => ({ row: "refused", detail })),
    { row: "signature", detail: signatureText(signature) },
  ]);
}

/** Some of its differences, as lines. */
export const csvDifferences = (
  certificate: Certificate,
  differences: readonly Difference[],
  references: References,
): string =>
  linesOf(
    certificate,
    differences.map(({ weight, invoiceId, eventId, ...named }) => ({
      row: weight,
      invoice: invoiceId,
      event: eventId,
      reference: invoiceId === null ? null : (references.get(invoiceId) ?? null),
      ...named,
    })),
  );

/** A line saying that there are more differences than those that it names. */
export function csvMore(certificate: Certificate): string {
  const more = certificate.differencesInAll - certificate.differences.length;
  if (more <= 0) return "";
  return linesOf(certificate, [{ row: "more", detail: `${more} more differences, counted but not named` }]);
}

/** `scope` distinguishes a whole source's rows from those of its collections, which add up to them. */
function linesOf(certificate: Certificate, rows: readonly Row[]): string {
  const { id, source, result, scope, collections, currency, basis } = certificate;
  const collection = scope === "collection" ? (collections[0]?.name ?? collections[0]?.id ?? null) : null;
  const same = { certificate: id, source, scope, collection, currency, zone: basis.zone, result };
  return stringify(
    rows.map((row) => ({ ...same, ...row })),
    FORM,
  );
}

const columns = ({ differences, ...tallies }: Totals): Row => ({
  ...Object.fromEntries(
    Object.entries(tallies).flatMap(([name, { count, amount }]) => [
      [name, count],
      [`${name}_amount`, amount],
    ]),
  ),
  differences,
});

const FORM = { ...CSV_FORM, columns: [...COLUMNS] };
