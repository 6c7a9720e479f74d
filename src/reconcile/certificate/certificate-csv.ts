import type { Certificate, Difference, Tally, Totals } from "./certificate.ts";

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
  "invoice",
  "event",
  "amount",
  "reason",
  "detail",
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

/**
 * Certificates as one table for finance, RFC 4180: a row for each day, the total, Test invoices, each reason
 * why it is refused, and each difference that is named. Pure.
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

type Named = Pick<Certificate, "id" | "source" | "result">;

/** What a certificate says besides its differences, as lines. */
export const csvHead = (certificate: Named & Omit<Certificate, "differences">): string =>
  linesOf(certificate, headOf(certificate));

/** Some of its differences, as lines. */
export const csvDifferences = (certificate: Named, differences: readonly Difference[]): string =>
  linesOf(
    certificate,
    differences.map(({ weight, invoiceId, eventId, ...named }) => ({
      row: weight,
      invoice: invoiceId,
      event: eventId,
      ...named,
    })),
  );

/** That more differences were counted than the `named` ones. */
export function csvMore(certificate: Named & Pick<Certificate, "differencesInAll">, named: number): string {
  const more = certificate.differencesInAll - named;
  if (more <= 0) return "";
  return linesOf(certificate, [
    { row: "more", detail: `${more} more differences are counted and not named` },
  ]);
}

const linesOf = ({ id: certificate, source, result }: Named, rows: readonly Row[]): string =>
  rows
    .map((row) => ({ certificate, source, result, ...row }))
    .map((row: Row) => `${COLUMNS.map((name) => cell(row[name])).join(",")}\r\n`)
    .join("");

function headOf({ days, total, test, refusals }: Omit<Certificate, "differences">): Row[] {
  return [
    ...days.map(({ day, ...totals }): Row => ({ row: "day", day, ...columns(totals) })),
    { row: "total", ...columns(total) },
    { row: "test", paid: test.count, paid_amount: test.amount },
    ...refusals.map((detail): Row => ({ row: "refused", detail })),
  ];
}

const columns = ({ paid, stored, published }: Totals): Row => ({
  ...tally("paid", paid),
  ...tally("stored", stored),
  ...tally("published", published),
});

const tally = (name: "paid" | "stored" | "published", { count, amount }: Tally): Row => ({
  [name]: count,
  [`${name}_amount`]: amount,
});

const NUMBER = /^-?\d+(\.\d+)?$/;

/** What spreadsheets take for the beginning of a formula, in its wide forms too. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u;

/** What could break a line or steer what shows it; in a cell of ours none of it is needed. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * One cell. What strangers wrote stays text: a spreadsheet would run what looks like a formula, so that gets
 * the apostrophe by which spreadsheets know text. Amounts are digits and stay numbers.
 */
function cell(value: string | number | null | undefined): string {
  const text = String(value ?? "").replaceAll(STEERING, "\uFFFD");
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
