import type { QueryExecutorProvider, RawBuilder } from "kysely";
import { type DeclaredStatement, type ResultColumns, type RowOf, statements } from "./statement.ts";

/**
 * A statement written by hand whose text depends on what is given: on filters, on the table, or on a part
 * that the caller passes in. When the text is always the same, use `Statement`.
 */
export class VaryingStatement<Given, Result extends ResultColumns> implements DeclaredStatement {
  readonly returns: Result;
  readonly #build: (given: Given) => RawBuilder<unknown>;
  readonly #shapes: readonly Given[];

  /**
   * @param shapes examples that together cover every branch of `build`: the test prepares each of them. Their
   *   values are never sent.
   */
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
