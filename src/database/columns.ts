import { type RawBuilder, sql } from "kysely";
import {
  BOOLEAN,
  BYTES,
  binaryArray,
  binaryValue,
  type Encoding,
  FLOAT,
  INTEGER,
  JSON_TEXT,
  TEXT,
  TIME,
  UUID,
} from "./binary-array.ts";

// A batch goes to Postgres as one array for each column. In the binary format nothing is escaped here or
// parsed there, which for documents and bodies would cost both sides more than everything else.

/** One column of a batch: how its values are sent, and as what. */
export interface Column<Row> {
  array(rows: readonly Row[]): Buffer;
  value(row: Row): Buffer | null;
  arrayType: RawBuilder<unknown>;
  valueType: RawBuilder<unknown>;
}

const typed =
  <Value>(encoding: Encoding<Value>, type: string, { sentAs = type }: { sentAs?: string } = {}) =>
  <Row>(read: (row: Row) => Value | null): Column<Row> => ({
    array: (rows) => binaryArray(rows.map(read), encoding),
    value: (row) => {
      const value = read(row);
      return value === null ? null : binaryValue(value, encoding);
    },
    arrayType: sql.raw(sentAs === type ? `${type}[]` : `${sentAs}[]::${type}[]`),
    valueType: sql.raw(sentAs === type ? type : `${sentAs}::${type}`),
  });

/** @throws RefusedValue, when it is sent, for what is no UUID with dashes. */
export const uuid = typed(UUID, "uuid");
/** Lone surrogates become U+FFFD. */
export const text = typed(TEXT, "text");
/** Decimal strings. */
export const numeric = typed(TEXT, "numeric", { sentAs: "text" });
export const json = typed(JSON_TEXT, "json");
export const bytea = typed(BYTES, "bytea");
export const integer = typed(INTEGER, "int");
export const float = typed(FLOAT, "float8");
export const boolean = typed(BOOLEAN, "boolean");
/** To the millisecond. */
export const time = typed(TIME, "timestamptz");

/** The columns of a batch by name. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** `unnest(…) as name (column, …)`. */
export function unnested<Row>(
  name: string,
  columns: Columns<Row>,
  parameter: (column: Column<Row>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const arrays = Object.values(columns).map((column) => sql`${parameter(column)}::${column.arrayType}`);
  return sql`unnest(${sql.join(arrays)}) as ${named(name, columns)}`;
}

/** `(values (…)) as name (column, …)`: one row without a set of rows for each of its columns. */
export function singleRow<Row>(
  name: string,
  columns: Columns<Row>,
  parameter: (column: Column<Row>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const values = Object.values(columns).map((column) => sql`${parameter(column)}::${column.valueType}`);
  return sql`(values (${sql.join(values)})) as ${named(name, columns)}`;
}

const named = (name: string, columns: Columns<never>) =>
  sql`${sql.id(name)} (${sql.join(Object.keys(columns).map((column) => sql.id(column)))})`;

/** The rows of a batch as a table of a statement. */
export function tableOf<Row>(name: string, columns: Columns<Row>, rows: readonly Row[]): RawBuilder<unknown> {
  return unnested(name, columns, (column) => sql`${column.array(rows)}`);
}
