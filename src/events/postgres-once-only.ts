import type { OnceOnlyStore } from "./once-only.ts";

/** The part of a `pg` client that this needs. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rowCount: number | null }>;
}

/** The part of a `pg` pool that this needs. */
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  connect(): Promise<Client & { release(destroy?: boolean): void }>;
}

export interface PostgresOnceOnly<Client extends PostgresClient> extends OnceOnlyStore<Client> {
  /** Makes the table if it is missing; call it where you run your migrations. */
  createTable(): Promise<void>;
  /** Forgets what was handled before then. @returns how many events. A replay of those is handled again. */
  forgetBefore(time: Date): Promise<number>;
}

/**
 * Remembers handled events in the consumer's own database, in the handler's own transaction. The id is
 * claimed by an insert, then the handler writes through the same client, then both commit together: after a
 * crash anywhere, either both are there or neither is, and the next delivery finds out which. A second
 * delivery at the same time waits on the claim.
 * @param options.table its name, with or without schema; `handled_event` when left out
 */
export function postgresOnceOnly<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  options: { table?: string } = {},
): PostgresOnceOnly<Client> {
  const table = (options.table ?? "handled_event")
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".");

  async function withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await pool.connect();
    let broken = true;
    try {
      const result = await work(client);
      broken = false;
      return result;
    } finally {
      // After an error it may be unknown how the transaction ended: the connection is not used again.
      client.release(broken);
    }
  }

  return {
    once: (id, work) =>
      withClient(async (client) => {
        await client.query("begin");
        try {
          const claimed = await client.query(
            `insert into ${table} (event_id) values ($1) on conflict do nothing`,
            [id],
          );
          if (claimed.rowCount === 0) {
            await client.query("rollback");
            return "duplicate";
          }
          await work(client);
          await client.query("commit");
          return "handled";
        } catch (error) {
          await client.query("rollback").catch(() => undefined);
          throw error;
        }
      }),
    createTable: () =>
      withClient(async (client) => {
        await client.query(
          `create table if not exists ${table} (
            event_id uuid primary key, handled_at timestamptz not null default clock_timestamp())`,
        );
      }),
    forgetBefore: (time) =>
      withClient(async (client) => {
        const { rowCount } = await client.query(`delete from ${table} where handled_at < $1`, [time]);
        return rowCount ?? 0;
      }),
  };
}
