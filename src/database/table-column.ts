/** A column of a table. */
export interface TableColumn<Value> {
  /** As Postgres names its type, with `not null` where it is. */
  readonly type: string;
  /** Only for the compiler. */
  readonly value?: Value;
}

export const column = <Value>(type: string): TableColumn<Value> => ({ type });

/** The same tables, as Kysely wants to know them. */
export type TablesOf<Described> = {
  [Table in keyof Described]: {
    [Name in keyof Described[Table]]: Described[Table][Name] extends TableColumn<infer Value> ? Value : never;
  };
};
