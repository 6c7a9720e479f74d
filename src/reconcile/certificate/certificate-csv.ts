import { stringify } from "csv-stringify/sync";
import { type Certificate, type Difference, PROVISIONAL, type Tally, type Totals } from "./certificate.ts";

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
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

/**
 * Certificates as one table for finance, RFC 4180: a row for each day, the total, Test invoices, whether
 * it is provisional, each refusal and each named difference. Pure.
 */
export function certificateCsv(certificates: readonly Certificate[]): string {
  return (
    csvHeader +
    certificates
      .map(
        (one) => csvHead(one) + csvDifferences(one, one.differences) + csvMore(one, one.differences.length),
      )
      .join("")
  );
}

export const csvHeader = `${COLUMNS.join(",")}\r\n`;

type CertificateName = Pick<Certificate, "id" | "source" | "result">;

/** The lines of a certificate other than its differences. */
export const csvHead = (certificate: CertificateName & Omit<Certificate, "differences">): string =>
  linesOf(certificate, headOf(certificate));

/** Some of its differences, as lines. */
export const csvDifferences = (certificate: CertificateName, differences: readonly Difference[]): string =>
  linesOf(
    certificate,
    differences.map(({ weight, invoiceId, eventId, ...named }) => ({
      row: weight,
      invoice: invoiceId,
      event: eventId,
      ...named,
    })),
  );

/** A line saying that there are more differences than the `named` ones. */
export function csvMore(
  certificate: CertificateName & Pick<Certificate, "differencesInAll">,
  named: number,
): string {
  const more = certificate.differencesInAll - named;
  if (more <= 0) return "";
  return linesOf(certificate, [{ row: "more", detail: `${more} more differences, counted but not named` }]);
}

const linesOf = ({ id: certificate, source, result }: CertificateName, rows: readonly Row[]): string =>
  stringify(
    rows.map((row) => ({ certificate, source, result, ...row })),
    FORM,
  );

function headOf({ days, total, test, refusals, basis }: Omit<Certificate, "differences">): Row[] {
  return [
    ...days.map(({ day, ...totals }): Row => ({ row: "day", day, ...columns(totals) })),
    { row: "total", ...columns(total) },
    { row: "test", paid: test.count, paid_amount: test.amount },
    ...(basis.provisional ? [{ row: "provisional", detail: PROVISIONAL }] : []),
    ...refusals.map((detail): Row => ({ row: "refused", detail })),
  ];
}

const columns = ({ paid, stored, published, missing, differences }: Totals): Row => ({
  ...tally("paid", paid),
  ...tally("stored", stored),
  ...tally("published", published),
  ...tally("missing", missing),
  differences,
});

const tally = (name: "paid" | "stored" | "published" | "missing", { count, amount }: Tally): Row => ({
  [name]: count,
  [`${name}_amount`]: amount,
});

const NUMBER = /^-?\d+(\.\d+)?$/;

/** What spreadsheets take for the start of a formula, including full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u;

/** Characters that could break a line or control a viewer; our cells need none of them. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text from outside that looks like a formula gets an apostrophe, so that spreadsheets do not run it. Amounts
 * are digits and stay numbers. (`escape_formulas` of the library would take negative amounts for formulas.)
 */
function withoutFormula(value: string): string {
  const text = value.replaceAll(STEERING, "\uFFFD");
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

const FORM = {
  columns: [...COLUMNS],
  record_delimiter: "windows",
  // Spreadsheets in some countries split at semicolons, and trim spaces.
  quoted_match: /[,;]|^\s|\s$/,
  cast: { string: withoutFormula },
} as const;
