import { z } from "zod";
import { type RelayError, usageError } from "../../kit/errors.ts";
import { DATE_ORDERS, DECIMALS } from "./cell-values.ts";
import { type CsvRow, csvRows } from "./csv-rows.ts";

/** How a bank's statements are read; it is remembered for the next one with the same columns. */
export const mapping = z.object({
  delimiter: z.string(),
  /** All columns, in order, as the header names them. */
  columns: z.array(z.string()),
  date: z.string(),
  /** What came in; negative where it went out and there is no column for that. */
  amount: z.string(),
  /** What went out; null where the amount's sign says so. */
  debit: z.string().nullable(),
  /** null where no statement so far showed it, nor needed it. */
  decimal: z.enum(DECIMALS).nullable(),
  dateOrder: z.enum(DATE_ORDERS).nullable(),
  /** Only lines with this text are settlements; null: all that came in. */
  only: z.string().nullable(),
});
export type Mapping = z.output<typeof mapping>;

/** What a person says of it; everything else is read from the file, or remembered. */
export type MappingGiven = { [Name in Exclude<keyof Mapping, "columns">]?: Mapping[Name] | undefined };

type Named = Pick<Mapping, "delimiter" | "columns" | "date" | "amount" | "debit">;

/** Names under which banks give these columns, in lower case. */
const KNOWN: Readonly<Record<"date" | "amount" | "debit", RegExp>> = {
  date: /^((value|transaction|trans|txn|booking|booked|posting|posted|entry|settlement|payment) )?date$/,
  amount:
    /^((transaction|settlement|credit|net) )?amount$|^credits?$|^deposits?$|^(money|paid) in$|^lodge?ments?$|^cr$/,
  debit: /^debits?( amount)?$|^withdrawals?$|^(money|paid) out$|^dr$/,
};

const DELIMITERS = [",", ";", "\t", "|"];

/** How far down a header may stand, in rows: banks write the account and the period above it. */
const HEADER_WITHIN = 40;

/** `Amount (NGN)` and `amount_ngn` name the column `amount`. */
const plain = (name: string): string =>
  typed(name)
    .replaceAll(/[_.]/g, " ")
    .replace(/\(.*\)| (ngn|usd|eur|gbp)$/, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** A name as a person can type it: in lower case, without marks that nobody sees. */
const typed = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[\u200B-\u200F\u2060\uFEFF]/g, "")
    .replaceAll(/\s+/g, " ");

/**
 * The header of a statement and what its columns are: by what was given, else as remembered, else by their names.
 * @throws RelayError when no row is a header, or two columns could be the same thing: nothing is guessed.
 */
export function findColumns(
  text: string,
  given: MappingGiven,
  remembered: readonly Mapping[],
): { header: CsvRow; named: Named; known: Mapping | null } {
  const delimiters = given.delimiter === undefined ? DELIMITERS : [given.delimiter];
  const tops = delimiters.map((delimiter) => ({ delimiter, rows: top(text, delimiter) }));
  for (const { delimiter, rows } of tops)
    for (const header of rows) {
      const known = remembered.find(
        (one) => one.delimiter === delimiter && isSame(one.columns, header.cells),
      );
      const named = nameColumns(header, delimiter, { ...known, ...withoutEmpty(given) });
      if (named !== null) return { header, named, known: known ?? null };
    }
  throw refuseColumns(
    tops.map(({ rows }) => rows),
    given,
  );
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name, index) => name === other[index]);

const withoutEmpty = (given: MappingGiven): MappingGiven =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** What can be read of the first rows: with a wrong delimiter a quotation mark may stand anywhere. */
function top(text: string, delimiter: string): CsvRow[] {
  const rows: CsvRow[] = [];
  try {
    for (const row of csvRows(text, delimiter)) {
      rows.push(row);
      if (rows.length === HEADER_WITHIN) break;
    }
  } catch {
    return rows;
  }
  return rows;
}

/** @returns null when this row is no header. */
function nameColumns({ line, cells }: CsvRow, delimiter: string, given: MappingGiven): Named | null {
  const find = (what: keyof typeof KNOWN): string[] => {
    const name = given[what];
    if (name === null) return [];
    return name === undefined
      ? cells.filter((cell) => KNOWN[what].test(plain(cell)))
      : cells.filter((cell) => typed(cell) === typed(name));
  };
  const [dates, amounts, debits] = [find("date"), find("amount"), find("debit")];
  if (dates.length === 0 || amounts.length === 0) return null;
  if (typeof given.debit === "string" && debits.length === 0) return null;
  const one = (what: keyof typeof KNOWN, names: readonly string[]): string | null => {
    if (names.length < 2) return names[0] ?? null;
    refuseTwice(names, line);
    throw usageError(
      `Line ${line} has ${names.length} columns that could be the ${what}: ${names.join(", ")}. Say which one ` +
        `with --${what}-column; it is remembered.`,
    );
  };
  const [date, amount, debit] = [one("date", dates), one("amount", amounts), one("debit", debits)];
  if (date === null || amount === null) return null;
  for (const name of [date, amount, debit])
    refuseTwice(
      cells.filter((cell) => cell === name),
      line,
    );
  return { delimiter, columns: cells, date, amount, debit };
}

/** @throws RelayError when they are one name, which no option can tell apart. */
function refuseTwice(names: readonly string[], line: number): void {
  if (names.length < 2 || names.some((name) => name !== names[0])) return;
  throw usageError(`Line ${line} has two columns named "${names[0]}". Rename one of them.`);
}

function refuseColumns(tops: readonly CsvRow[][], given: MappingGiven): RelayError {
  const [widest] = tops.flat().toSorted((one, other) => other.cells.length - one.cells.length);
  if (widest === undefined)
    return usageError("The statement has no line with anything in it. Export it again.");
  const wanted = [given.date ?? "a date", given.amount ?? "an amount (or credit)", given.debit]
    .filter((name) => typeof name === "string")
    .join(" and ");
  return usageError(
    `No line names columns for ${wanted}. Line ${widest.line} has: ${widest.cells.join(", ").slice(0, 300)}. ` +
      "Say which they are with --date-column and --amount-column (and --delimiter); they are remembered.",
  );
}
