import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { RefusedValue } from "../kit/postgres-errors.ts";

// A batch goes to Postgres as one array for each column. In the binary format nothing is escaped here or
// parsed there, which for documents and bodies would cost both sides more than everything else.

/** How the values of one type are sent: pg_type.oid, fixed by Postgres, and the binary format of a value. */
interface Type<Value> {
  oid: number;
  encode(value: Value): Buffer;
}

/** The array in Postgres' binary format (array_recv): each element stands behind its length. */
function binaryArray<Value>(values: readonly (Value | null)[], { oid, encode }: Type<Value>): Buffer {
  const elements = values.map((value) => (value === null ? null : encode(value)));
  // Dimensions (none of an empty array), whether there are nulls, element type, length, lower bound.
  const header = values.length === 0 ? [0, 1, oid] : [1, 1, oid, values.length, 1];
  const size = elements.reduce((sum, element) => sum + 4 + (element?.length ?? 0), 4 * header.length);
  const buffer = Buffer.allocUnsafe(size);
  let at = 0;
  for (const word of header) at = buffer.writeInt32BE(word, at);
  for (const element of elements) {
    at = buffer.writeInt32BE(element?.length ?? -1, at);
    if (element !== null) at += element.copy(buffer, at);
  }
  return buffer;
}

const written = (size: number, write: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.allocUnsafe(size);
  write(buffer);
  return buffer;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** 2000-01-01, from which Postgres counts, in ms since 1970. */
const POSTGRES_EPOCH_MS = 946_684_800_000;

/** One column of a batch, as an array that Postgres reads by the type's name. */
interface Column<Row> {
  array(rows: readonly Row[]): Buffer;
  type: RawBuilder<unknown>;
}

const typed =
  <Value>(name: string, type: Type<Value>) =>
  <Row>(read: (row: Row) => Value | null): Column<Row> => ({
    array: (rows) => binaryArray(rows.map(read), type),
    type: sql.raw(name),
  });

/** @throws RefusedValue, when it is sent, for what is no UUID with dashes. */
export const uuid = typed("uuid[]", {
  oid: 2950,
  encode: (value: string) => {
    if (!UUID.test(value)) throw new RefusedValue(`"${value.slice(0, 40)}" is no UUID`);
    return Buffer.from(value.replaceAll("-", ""), "hex");
  },
});
/** Lone surrogates become U+FFFD. */
export const text = typed("text[]", { oid: 25, encode: (value: string) => Buffer.from(value) });
/** Decimal strings. */
export const numeric = typed("text[]::numeric[]", { oid: 25, encode: (value: string) => Buffer.from(value) });
export const json = typed("json[]", { oid: 114, encode: (value: string) => Buffer.from(value) });
export const bytea = typed("bytea[]", {
  oid: 17,
  encode: (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.length),
});
export const integer = typed("int[]", {
  oid: 23,
  encode: (value: number) => written(4, (buffer) => buffer.writeInt32BE(value)),
});
export const float = typed("float8[]", {
  oid: 701,
  encode: (value: number) => written(8, (buffer) => buffer.writeDoubleBE(value)),
});
export const boolean = typed("boolean[]", { oid: 16, encode: (value: boolean) => Buffer.of(value ? 1 : 0) });
/** In microseconds, which as a number would lose digits from the year 2255 on. */
export const time = typed("timestamptz[]", {
  oid: 1184,
  encode: (value: Date) =>
    written(8, (buffer) => buffer.writeBigInt64BE(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1_000n)),
});

/** An entry of an index has 2,704 bytes at most; Postgres refuses the row of a larger one. */
const INDEXED_BYTES = 2_600;
const INDEXED_BEGINNING = 500;

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

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** `unnest(…) as name (column, …)`. */
export function unnested<Row>(
  name: string,
  columns: Columns<Row>,
  parameter: (column: Column<Row>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const arrays = Object.values(columns).map((column) => sql`${parameter(column)}::${column.type}`);
  const names = Object.keys(columns).map((column) => sql.id(column));
  return sql`unnest(${sql.join(arrays)}) as ${sql.id(name)} (${sql.join(names)})`;
}

/** The rows of a batch as a table of a statement. */
export function tableOf<Row>(name: string, columns: Columns<Row>, rows: readonly Row[]): RawBuilder<unknown> {
  return unnested(name, columns, (column) => sql`${column.array(rows)}`);
}
