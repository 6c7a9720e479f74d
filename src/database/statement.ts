import { CompiledQuery, type QueryExecutorProvider, type QueryResult, type RawBuilder, sql } from "kysely";
import { type Columns, unnested } from "./columns.ts";

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
  /** `unnest(…) as name (column, …)`: rows as a table, one parameter for each column. */
  table<Row>(
    name: string,
    columns: Columns<Row>,
    rows: (given: Given) => readonly Row[],
  ): RawBuilder<unknown>;
}

/**
 * A statement of the hot path: its text is the same each time and is made once, since putting together what Postgres
 * has prepared long ago costs as much as all else about a small batch.
 */
export class Statement<Given, Result> {
  readonly #built: RawBuilder<Result>;
  #compiled: CompiledQuery<Result> | undefined;

  constructor(build: (slots: Slots<Given>) => RawBuilder<Result>) {
    const value = (read: (given: Given) => unknown) => sql`${new Slot(read)}`;
    this.#built = build({
      value,
      table: (name, columns, rows) =>
        unnested(name, columns, ({ array, type }) => sql`${value((given) => array(rows(given)))}::${type}`),
    });
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
