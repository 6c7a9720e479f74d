import { hash } from "node:crypto";
import {
  type Compilable,
  CompiledQuery,
  type QueryExecutorProvider,
  type QueryResult,
  type RawBuilder,
  sql,
} from "kysely";
import { RefusedValue } from "../errors/index.ts";
import type { Database } from "./tables.ts";

/** As Postgres names its type; a test holds each statement to its columns. */
export interface ResultColumn<Value> {
  readonly oid: number;
  readonly type: string;
  /** Only for the compiler. */
  readonly value?: Value;
}

const ofType = <Value>(oid: number, type: string): ResultColumn<Value> => ({ oid, type });

/** The columns that a statement may return. Times as Date, numeric as decimal string. */
export const returned = {
  boolean: ofType<boolean>(16, "bool"),
  bytes: ofType<Buffer>(17, "bytea"),
  count: ofType<number>(20, "int8"),
  integer: ofType<number>(23, "int4"),
  float: ofType<number>(701, "float8"),
  time: ofType<Date>(1184, "timestamptz"),
  numeric: ofType<string>(1700, "numeric"),
  uuid: ofType<string>(2950, "uuid"),
  text: <Value extends string = string>() => ofType<Value>(25, "text"),
  json: <Value>() => ofType<Value>(114, "json"),
  texts: ofType<string[]>(1009, "_text"),
  uuids: ofType<string[]>(2951, "_uuid"),
};

export const nullable = <Value>(column: ResultColumn<Value>): ResultColumn<Value | null> => column;

export type ResultColumns = Readonly<Record<string, ResultColumn<unknown>>>;
export type RowOf<Result extends ResultColumns> = {
  [Name in keyof Result]: Result[Name] extends ResultColumn<infer Value> ? Value : never;
};

type Perhaps<Result extends ResultColumns> = {
  [Name in keyof Result]: Result[Name] extends ResultColumn<infer Value> ? ResultColumn<Value | null> : never;
};

/** The columns of a row that may be missing, as after an outer join: then all of them are null. */
export const perhaps = <Result extends ResultColumns>(columns: Result): Perhaps<Result> =>
  columns as unknown as Perhaps<Result>;

export type ResultOf<S> = S extends Statement<never, infer Result> ? RowOf<Result> : never;

/** A parameter, whose value is read from what each execution is given. */
class Slot<Given> {
  readonly read: (given: Given) => unknown;

  constructor(read: (given: Given) => unknown) {
    this.read = read;
  }
}

export interface Slots<Given> {
  value(read: (given: Given) => unknown): RawBuilder<unknown>;
  /** Rows as a table, one parameter for each column. */
  table<Row>(
    name: string,
    columns: Columns<Row>,
    rows: (given: Given) => readonly Row[],
  ): RawBuilder<unknown>;
}

type Build<Given> = (slots: Slots<Given>) => RawBuilder<unknown>;

/** The parts that a test needs to check a statement against the columns that it declares. */
export interface DeclaredStatement {
  /** Null for a query of the builder, whose columns have their types from the tables, and where none are read. */
  readonly returns: ResultColumns | null;
  texts(db: Database): string[];
}

/** Every statement, for the test that prepares them and for the file that shows them whole. */
export const statements: DeclaredStatement[] = [];

/** Given to a query that is only shown: each part of it is a parameter, and every filter is on. */
const anything: unknown = new Proxy(
  {},
  { get: (_, name) => (name === Symbol.toPrimitive ? () => "1" : anything) },
);

/**
 * A query of the builder. @param sample what it is shown with, where a plain parameter would not do.
 * @returns what makes it for one execution.
 */
export function query<Args extends unknown[], Made extends Compilable>(
  build: (db: Database, ...args: Args) => Made,
  ...sample: NoInfer<Partial<Args>>
): typeof build {
  const args = Array.from({ length: build.length - 1 }, (_, at) => sample[at] ?? anything) as Args;
  statements.push({ returns: null, texts: (db) => [build(db, ...args).compile().sql] });
  return build;
}

/**
 * A statement written by hand of which no rows are read. @returns a function that runs it and returns the number of
 * written rows.
 */
export function command<Args extends unknown[]>(
  build: (...args: Args) => RawBuilder<unknown>,
  ...sample: NoInfer<Partial<Args>>
): (db: QueryExecutorProvider, ...args: Args) => Promise<number> {
  const args = Array.from({ length: build.length }, (_, at) => sample[at] ?? anything) as Args;
  statements.push({ returns: null, texts: (db) => [build(...args).compile(db).sql] });
  return async (db, ...given) => Number((await build(...given).execute(db)).numAffectedRows ?? 0);
}

/**
 * A statement written by hand, with the columns that it returns. Its text is the same each time and is made
 * once, since building the text of a prepared statement costs as much as everything else about a small batch.
 */
export class Statement<Given = void, Result extends ResultColumns = ResultColumns>
  implements DeclaredStatement
{
  readonly returns: Result;
  readonly #built: RawBuilder<unknown>;
  #compiled: CompiledQuery<unknown> | undefined;

  constructor(returns: Result, build: Build<Given>) {
    this.returns = returns;
    const value = (read: (given: Given) => unknown) => sql`${new Slot(read)}`;
    this.#built = build({
      value,
      table: (name, columns, rows) =>
        unnested(name, columns, (column) => value((given) => column.array(rows(given)))),
    });
    statements.push(this);
  }

  async execute(db: QueryExecutorProvider, given: Given): Promise<RowOf<Result>[]> {
    return (await this.#execute(db, given)).rows;
  }

  /** @returns how many rows it wrote. */
  async write(db: QueryExecutorProvider, given: Given): Promise<number> {
    return Number((await this.#execute(db, given)).numAffectedRows ?? 0);
  }

  texts(db: QueryExecutorProvider): string[] {
    return [this.#compile(db).sql];
  }

  #execute(db: QueryExecutorProvider, given: Given): Promise<QueryResult<RowOf<Result>>> {
    const { sql: text, parameters } = this.#compile(db);
    const values = parameters.map((parameter) =>
      parameter instanceof Slot ? parameter.read(given) : parameter,
    );
    return db.getExecutor().executeQuery<RowOf<Result>>(CompiledQuery.raw(text, values));
  }

  #compile(db: QueryExecutorProvider): CompiledQuery<unknown> {
    this.#compiled ??= this.#built.compile(db);
    return this.#compiled;
  }
}

/** A statement whose text depends on what is given: filters, the table, a part. Otherwise use `Statement`. */
export class VaryingStatement<Given, Result extends ResultColumns> implements DeclaredStatement {
  readonly returns: Result;
  readonly #build: (given: Given) => RawBuilder<unknown>;
  readonly #shapes: readonly Given[];

  /** @param shapes examples that cover every branch of `build`: the test prepares each; none is ever sent. */
  constructor(
    returns: Result,
    build: (given: Given) => RawBuilder<unknown>,
    shapes: readonly [NoInfer<Given>, ...NoInfer<Given>[]],
  ) {
    this.returns = returns;
    this.#build = build;
    this.#shapes = shapes;
    statements.push(this);
  }

  async execute(db: QueryExecutorProvider, given: Given): Promise<RowOf<Result>[]> {
    return (await (this.#build(given) as RawBuilder<RowOf<Result>>).execute(db)).rows;
  }

  /** @returns how many rows it wrote. */
  async write(db: QueryExecutorProvider, given: Given): Promise<number> {
    return Number((await this.#build(given).execute(db)).numAffectedRows ?? 0);
  }

  texts(db: QueryExecutorProvider): string[] {
    return this.#shapes.map((given) => this.#build(given).compile(db).sql);
  }
}

// A batch goes to Postgres as one array for each column. In the binary format nothing is escaped here or
// parsed there, which for documents and bodies would cost both sides more than everything else.

/** How the values of one type are sent: pg_type.oid, fixed by Postgres, and the binary format of a value. */
interface Type<Value> {
  oid: number;
  /** The most bytes that it may take. */
  most(value: Value): number;
  /** @returns the index after it. */
  write(value: Value, buffer: Buffer, at: number): number;
}

/** The array in Postgres' binary format (array_recv): each element stands behind its length, -1 for null. */
function binaryArray<Value>(values: readonly (Value | null)[], { oid, most, write }: Type<Value>): Buffer {
  // Dimensions (none of an empty array), whether there are nulls, element type, length, lower bound.
  const header = values.length === 0 ? [0, 1, oid] : [1, 1, oid, values.length, 1];
  let bytes = 4 * header.length;
  for (const value of values) bytes += 4 + (value === null ? 0 : most(value));
  const buffer = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const word of header) at = buffer.writeInt32BE(word, at);
  for (const value of values) {
    const end = value === null ? at + 4 : write(value, buffer, at + 4);
    buffer.writeInt32BE(value === null ? -1 : end - at - 4, at);
    at = end;
  }
  return buffer.subarray(0, at);
}

/** 2000-01-01, from which Postgres counts, in ms since 1970. */
const POSTGRES_EPOCH_MS = 946_684_800_000;

/** A column of a batch, as an array that Postgres reads by the type's name. */
interface Column<Row> {
  array(rows: readonly Row[]): Buffer;
  type: RawBuilder<unknown>;
}

const columnOf =
  <Value>(name: string, type: Type<Value>) =>
  <Row>(read: (row: Row) => Value | null): Column<Row> => ({
    array: (rows) => binaryArray(rows.map(read), type),
    type: sql.raw(name),
  });

const inUtf8 = {
  // To count the bytes costs as much as to write them.
  most: (value: string) => 3 * value.length,
  write: (value: string, buffer: Buffer, at: number) => at + buffer.write(value, at),
};

/** @throws RefusedValue, when it is sent, for what has not 32 hex digits and four dashes. */
export const uuid = columnOf<string>("uuid[]", {
  oid: 2950,
  most: () => 16,
  write(value, buffer, at) {
    const hex = value.replaceAll("-", "");
    // Fewer bytes are written where a character is no hex digit.
    const isOne = hex.length === 32 && value.length === 36 && buffer.write(hex, at, "hex") === 16;
    if (!isOne) throw new RefusedValue(`"${value.slice(0, 40)}" is no UUID`);
    return at + 16;
  },
});
/** Lone surrogates become U+FFFD. */
export const text = columnOf<string>("text[]", { oid: 25, ...inUtf8 });
/** Decimal strings. */
export const numeric = columnOf<string>("text[]::numeric[]", { oid: 25, ...inUtf8 });
export const json = columnOf<string>("json[]", { oid: 114, ...inUtf8 });
export const bytea = columnOf<Uint8Array>("bytea[]", {
  oid: 17,
  most: (value) => value.length,
  write: (value, buffer, at) => {
    buffer.set(value, at);
    return at + value.length;
  },
});
export const integer = columnOf<number>("int[]", {
  oid: 23,
  most: () => 4,
  write: (value, buffer, at) => buffer.writeInt32BE(value, at),
});
export const float = columnOf<number>("float8[]", {
  oid: 701,
  most: () => 8,
  write: (value, buffer, at) => buffer.writeDoubleBE(value, at),
});
export const boolean = columnOf<boolean>("boolean[]", {
  oid: 16,
  most: () => 1,
  write: (value, buffer, at) => buffer.writeUInt8(value ? 1 : 0, at),
});
/** In microseconds, which as a number would lose digits from the year 2255 on. */
export const time = columnOf<Date>("timestamptz[]", {
  oid: 1184,
  most: () => 8,
  write: (value, buffer, at) =>
    buffer.writeBigInt64BE(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1_000n, at),
});

/** An entry of an index has 2,704 bytes at most; Postgres refuses the row of a larger one. */
const INDEXED_BYTES = 2_600;
const INDEXED_BEGINNING = 500;

/**
 * A text that has an index of its own. A long one is kept as its beginning and its digest, which still
 * distinguishes it from any other.
 */
export const indexedText = <Row>(read: (row: Row) => string | null): Column<Row> =>
  text((row) => {
    const value = read(row);
    if (value === null || Buffer.byteLength(value) <= INDEXED_BYTES) return value;
    return `${value.slice(0, INDEXED_BEGINNING)}… sha256:${hash("sha256", value)}`;
  });

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** `unnest(…) as name (column, …)`. */
function unnested<Row>(
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

/** Postgres casts it to the type that the compiler sees; a test holds that there is no other way to name one. */
export const typed = <Value>(
  column: ResultColumn<Value>,
  expression: RawBuilder<unknown>,
): RawBuilder<Value> => sql<Value>`(${expression})::${sql.raw(column.type)}`;

/** Postgres' clock, which goes on within a transaction. */
export const clockTime = typed(returned.time, sql`clock_timestamp()`);

/** A length of time as Postgres takes it. */
export const interval = (ms: number): RawBuilder<unknown> => sql`${`${ms} ms`}::interval`;

/**
 * A condition: the key is among those of a query that refers to nothing in the outer row. Inside a `case`
 * Postgres hashes the keys; as a join it would compare each row of a batch with all others, since it expects
 * one row on each side.
 */
export const isIn = (key: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`case when (${key}) in (${keys}) then true else false end`;

/**
 * A condition: a column of the written table has this value. As a range, for which Postgres has no way but to look each
 * row of a batch up: a plan that was made while the table was empty would read all of it for an equality.
 */
export const isLookedUp = (column: string, value: string) =>
  sql<boolean>`${sql.ref(column)} between ${sql.ref(value)} and ${sql.ref(value)}`;

/**
 * An array of the sources that a table has rows of, found by one index step for each. With it a query that
 * knows an invoice's id, but not its source, can use an index that begins with the source.
 */
export const sourcesIn = (
  table: "invoice" | "invoice_snapshot" | "event" | "publication",
): RawBuilder<string[]> => {
  const from = sql.table(table);
  return sql`array(
    with recursive known (source) as (
      (select source from ${from} order by source limit 1)
      union all
      select (select further.source from ${from} as further where further.source > known.source
        order by further.source limit 1)
      from known where known.source is not null)
    select source from known where source is not null)`;
};
