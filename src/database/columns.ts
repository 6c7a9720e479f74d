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

/** One column of a batch: how its values are sent, and as what. */
export interface Column<Row> {
  array(rows: readonly Row[]): Buffer;
  type: RawBuilder<unknown>;
}

const typed =
  <Value>(encoding: Encoding<Value>, type: RawBuilder<unknown>) =>
  <Row>(read: (row: Row) => Value | null): Column<Row> => ({
    array: (rows) => binaryArray(rows.map(read), encoding),
    type,
  });

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

/** `unnest(…) as name (column, …)`. */
export function unnested<Row>(
  name: string,
  columns: Columns<Row>,
  parameter: (column: Column<Row>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const arrays = Object.values(columns).map(parameter);
  const names = Object.keys(columns).map((column) => sql.id(column));
  return sql`unnest(${sql.join(arrays)}) as ${sql.id(name)} (${sql.join(names)})`;
}

/** The rows of a batch as a table of a statement. */
export function tableOf<Row>(name: string, columns: Columns<Row>, rows: readonly Row[]): RawBuilder<unknown> {
  return unnested(name, columns, ({ array, type }) => sql`${array(rows)}::${type}`);
}
