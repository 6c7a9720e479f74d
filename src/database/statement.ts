import { CompiledQuery, type QueryExecutorProvider, type QueryResult, type RawBuilder, sql } from "kysely";
import { type Columns, unnested } from "./columns.ts";

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

/** What a test needs to check a statement against the columns that it declares. */
interface DeclaredStatement {
  readonly returns: ResultColumns;
  texts(db: QueryExecutorProvider): string[];
}

/** Every statement that was written by hand and returns rows, for the test that prepares them. */
export const statements: DeclaredStatement[] = [];

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

  texts(db: QueryExecutorProvider): string[] {
    return this.#shapes.map((given) => this.#build(given).compile(db).sql);
  }
}
