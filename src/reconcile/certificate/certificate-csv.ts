import type { Certificate, Tally, Totals } from "./certificate.ts";

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
  const rows = certificates.flatMap((certificate) => {
    const { id, source, result } = certificate;
    return rowsOf(certificate).map((row) => ({ certificate: id, source, result, ...row }));
  });
  const lines = [COLUMNS.join(","), ...rows.map((row) => COLUMNS.map((name) => cell(row[name])).join(","))];
  return lines.map((line) => `${line}\r\n`).join("");
}

function rowsOf({ days, total, test, refusals, differences, differencesInAll }: Certificate): Row[] {
  const more = differencesInAll - differences.length;
  return [
    ...days.map(({ day, ...totals }): Row => ({ row: "day", day, ...columns(totals) })),
    { row: "total", ...columns(total) },
    { row: "test", paid: test.count, paid_amount: test.amount },
    ...refusals.map((detail): Row => ({ row: "refused", detail })),
    ...differences.map(
      ({ weight, invoiceId, eventId, ...named }): Row => ({
        row: weight,
        invoice: invoiceId,
        event: eventId,
        ...named,
      }),
    ),
    ...(more > 0 ? [{ row: "more", detail: `${more} more differences are counted and not named` }] : []),
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
