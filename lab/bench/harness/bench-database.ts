import pg from "pg";

export type Query = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** A Postgres database that a bench fills and reads. */
export interface BenchDatabase {
  readonly url: string;
  readonly query: Query;
  transaction(work: (query: Query) => Promise<void>): Promise<void>;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

/** @param remove removes the database once nobody of ours is connected. */
export function openDatabase(url: string, remove: () => Promise<unknown>): BenchDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 2, options: "-c timezone=UTC" });
  pool.on("error", () => undefined);
  return {
    url,
    query: async (text, values = []) => (await pool.query(text, values)).rows,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await work(async (text, values = []) => (await client.query(text, values)).rows);
        await client.query("commit");
      } finally {
        client.release();
      }
    },
    drop: async () => {
      await pool.end();
      await remove();
    },
  };
}
