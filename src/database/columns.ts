import { type RawBuilder, sql } from "kysely";
import {
  BOOLEAN,
  BYTES,
  binaryArray,
  type Encoding,
  FLOAT,
  INTEGER,
  JSON_TEXT,
  TEXT,
  TIME,
  UUID,
} from "./binary-array.ts";

// A batch goes to Postgres as one array for each column. In the binary format nothing is escaped here and nothing
// is taken apart there, which for documents and bodies costs both sides more than everything else about them.

/** One column of a batch: its values, ready to be sent. */
export type Column<Row> = (rows: readonly Row[]) => RawBuilder<unknown>;

const typed =
  <Value>(encoding: Encoding<Value>, type: RawBuilder<unknown>) =>
  <Row>(read: (row: Row) => Value | null): Column<Row> =>
  (rows) =>
    sql`${binaryArray(rows.map(read), encoding)}::${type}`;

/** @throws RefusedValue, when it is sent, for what is no UUID with dashes. */
export const uuid = typed(UUID, sql`uuid[]`);
/** Lone surrogates become U+FFFD. */
export const text = typed(TEXT, sql`text[]`);
/** Decimal strings. */
export const numeric = typed(TEXT, sql`text[]::numeric[]`);
/** JSON as text. */
export const json = typed(JSON_TEXT, sql`json[]`);
export const bytea = typed(BYTES, sql`bytea[]`);
export const integer = typed(INTEGER, sql`int[]`);
export const float = typed(FLOAT, sql`float8[]`);
export const boolean = typed(BOOLEAN, sql`boolean[]`);
/** To the millisecond. */
export const time = typed(TIME, sql`timestamptz[]`);

/** The columns of a batch by name. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** `unnest(…) as name (column, …)`: the rows as a table of a statement. */
export function unnested<Row>(
  name: string,
  rows: readonly Row[],
  columns: Columns<Row>,
): RawBuilder<unknown> {
  const arrays = Object.values(columns).map((column) => column(rows));
  return sql`unnest(${sql.join(arrays)}) as ${sql.id(name)} (${names(columns)})`;
}

/** `column, …`, in the order of the table that `unnested` makes. */
export function names(columns: Columns<never>): RawBuilder<unknown> {
  return sql.join(Object.keys(columns).map((name) => sql.id(name)));
}
