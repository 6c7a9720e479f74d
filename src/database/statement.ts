import { CompiledQuery, type QueryExecutorProvider, type QueryResult, type RawBuilder, sql } from "kysely";
import { type Columns, singleRow, unnested } from "./columns.ts";

/** A parameter whose value is made of what is given at each execution. */
class Slot<Given> {
  readonly read: (given: Given) => unknown;

  constructor(read: (given: Given) => unknown) {
    this.read = read;
  }
}

/** What a statement is built with. */
export interface Slots<Given> {
  /** One parameter. */
  value(read: (given: Given) => unknown): RawBuilder<unknown>;
  /** Rows as a table, one parameter for each column. */
  table<Row>(
    name: string,
    columns: Columns<Row>,
    rows: (given: Given) => readonly Row[],
  ): RawBuilder<unknown>;
}

type Build<Given, Result> = (slots: Slots<Given>) => RawBuilder<Result>;

/**
 * A statement of the hot path: its text is the same each time and is made once, since putting together what Postgres
 * has prepared long ago costs as much as all else about a small batch. It has another text for tables of one row each.
 */
export class Statement<Given, Result> {
  readonly #batch: CompiledOnce<Given, Result>;
  readonly #single: CompiledOnce<Given, Result>;
  readonly #rows: ((given: Given) => readonly unknown[])[] = [];

  constructor(build: Build<Given, Result>) {
    const value = (read: (given: Given) => unknown) => sql`${new Slot(read)}`;
    this.#batch = new CompiledOnce(
      build({
        value,
        table: (name, columns, rows) => {
          this.#rows.push(rows);
          return unnested(name, columns, (column) => value((given) => column.array(rows(given))));
        },
      }),
    );
    this.#single = new CompiledOnce(
      build({
        value,
        table: (name, columns, rows) =>
          singleRow(name, columns, (column) => value((given) => column.value(first(rows(given))))),
      }),
    );
  }

  execute(db: QueryExecutorProvider, given: Given): Promise<QueryResult<Result>> {
    const isSingle = this.#rows.every((rows) => rows(given).length === 1);
    return (isSingle ? this.#single : this.#batch).execute(db, given);
  }
}

class CompiledOnce<Given, Result> {
  readonly #built: RawBuilder<Result>;
  #compiled: CompiledQuery<Result> | undefined;

  constructor(built: RawBuilder<Result>) {
    this.#built = built;
  }

  execute(db: QueryExecutorProvider, given: Given): Promise<QueryResult<Result>> {
    this.#compiled ??= this.#built.compile(db);
    const { sql: text, parameters } = this.#compiled;
    const values = parameters.map((parameter) =>
      parameter instanceof Slot ? parameter.read(given) : parameter,
    );
    return db.getExecutor().executeQuery<Result>(CompiledQuery.raw(text, values));
  }
}

function first<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("There is no row");
  return row;
}
