import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { RefusedValue } from "../kit/postgres-errors.ts";

// A batch goes to Postgres as one array for each column. In the binary format nothing is escaped here or
// parsed there, which for documents and bodies would cost both sides more than everything else.

/** pg_type.oid of the elements, fixed by Postgres. */
const OID = {
  bool: 16,
  bytea: 17,
  int4: 23,
  text: 25,
  json: 114,
  float8: 701,
  timestamptz: 1184,
  uuid: 2950,
} as const;

/** Dimensions, whether there are nulls, element type, length, lower bound: four bytes each. */
const HEADER_BYTES = 20;

/** 2000-01-01, from which Postgres counts, in ms since 1970. */
const POSTGRES_EPOCH_MS = 946_684_800_000;

/** How values of one type stand in an array. */
interface Encoding<Value> {
  oid: number;
  /** The most bytes that the value can take. */
  bound(value: Value): number;
  /** Writes it and returns how many bytes it took. */
  write(buffer: Buffer, value: Value, at: number): number;
}

/** The array in Postgres' binary format (array_recv). @throws RefusedValue for a text that is no UUID. */
function binaryArray<Value>(
  values: readonly (Value | null)[],
  { oid, bound, write }: Encoding<Value>,
): Buffer {
  let most = HEADER_BYTES;
  for (const value of values) most += value === null ? 4 : 4 + bound(value);
  const buffer = Buffer.allocUnsafe(most);
  // An empty array has no dimension.
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  if (values.length === 0) return buffer.subarray(0, 12);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = value === null ? -1 : write(buffer, value, at + 4);
    buffer.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return buffer.subarray(0, at);
}

/** One value in Postgres' binary format. @throws RefusedValue for a text that is no UUID. */
function binaryValue<Value>(value: Value, { bound, write }: Encoding<Value>): Buffer {
  const buffer = Buffer.allocUnsafe(bound(value));
  return buffer.subarray(0, write(buffer, value, 0));
}

const textOf = (oid: number): Encoding<string> => ({
  oid,
  bound: (value) => value.length * 3,
  write: (buffer, value, at) => buffer.write(value, at, "utf8"),
});

const TEXT = textOf(OID.text);
const JSON_TEXT = textOf(OID.json);

const BYTES: Encoding<Uint8Array> = {
  oid: OID.bytea,
  bound: (value) => value.length,
  write: (buffer, value, at) => {
    buffer.set(value, at);
    return value.length;
  },
};

const INTEGER: Encoding<number> = {
  oid: OID.int4,
  bound: () => 4,
  write: (buffer, value, at) => buffer.writeInt32BE(value, at) - at,
};

const FLOAT: Encoding<number> = {
  oid: OID.float8,
  bound: () => 8,
  write: (buffer, value, at) => buffer.writeDoubleBE(value, at) - at,
};

const TIME: Encoding<Date> = {
  oid: OID.timestamptz,
  bound: () => 8,
  write: (buffer, value, at) => {
    // In microseconds a number would lose digits from the year 2255 on.
    const micros = BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1_000n;
    return buffer.writeBigInt64BE(micros, at) - at;
  },
};

/** Value of the hex digit with this char code; 255 for every other character. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

const nibble = (value: string, index: number): number => NIBBLES[value.charCodeAt(index)] ?? 255;

const UUID: Encoding<string> = {
  oid: OID.uuid,
  bound: () => 16,
  write: (buffer, value, at) => {
    let seen = value.length === 36 ? 0 : 255;
    let index = 0;
    for (let byte = 0; byte < 16; byte += 1) {
      if (byte === 4 || byte === 6 || byte === 8 || byte === 10) {
        if (value.charCodeAt(index) !== 45) seen = 255;
        index += 1;
      }
      const high = nibble(value, index);
      const low = nibble(value, index + 1);
      seen |= high | low;
      buffer[at + byte] = (high << 4) | low;
      index += 2;
    }
    if (seen > 15) throw new RefusedValue(`"${value.slice(0, 40)}" is no UUID`);
    return 16;
  },
};

const BOOLEAN: Encoding<boolean> = {
  oid: OID.bool,
  bound: () => 1,
  write: (buffer, value, at) => buffer.writeUInt8(value ? 1 : 0, at) - at,
};

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

/** An entry of an index has 2,704 bytes at most; Postgres refuses the row of a larger one. */
const INDEXED_BYTES = 2_600;
const INDEXED_BEGINNING = 500;

/** @throws RefusedValue, when it is sent, for what is no UUID with dashes. */
export const uuid = typed(UUID, "uuid");
/** Lone surrogates become U+FFFD. */
export const text = typed(TEXT, "text");
/**
 * A text that has an index of its own: a long one is kept as its beginning and its digest, by which it can still be
 * told from any other.
 */
export const indexedText = <Row>(read: (row: Row) => string | null): Column<Row> =>
  text((row) => {
    const value = read(row);
    if (value === null || Buffer.byteLength(value) <= INDEXED_BYTES) return value;
    return `${value.slice(0, INDEXED_BEGINNING)}… sha256:${hash("sha256", value)}`;
  });
/** Decimal strings. */
export const numeric = typed(TEXT, "numeric", { sentAs: "text" });
export const json = typed(JSON_TEXT, "json");
export const bytea = typed(BYTES, "bytea");
export const integer = typed(INTEGER, "int");
export const float = typed(FLOAT, "float8");
export const boolean = typed(BOOLEAN, "boolean");
export const time = typed(TIME, "timestamptz");

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
