import type { InvoicePaid } from "./invoice-paid.ts";

/** Remembers handled events. `Transaction` is the handle that it passes to the handler. */
export interface OnceOnlyStore<Transaction> {
  /** Runs `work` unless it ran to its end for this id. The second of two waits, and runs only when the first failed. */
  once(id: string, work: (transaction: Transaction) => Promise<void>): Promise<"handled" | "duplicate">;
}

/**
 * Handles an event once, after any number of deliveries: SNS, SQS and a replay all deliver at least once, each
 * copy with the same `event.id`. When the handler throws, nothing is remembered and the error goes on to the
 * caller, so that the event is delivered again.
 *
 * The store sets the guarantee: with `postgresOnceOnly`, the handler's writes through the given transaction
 * happen exactly once, through any crash. The handler's effects elsewhere (a mail, another service) happen at
 * least once: give the other side `event.id` as its idempotency key.
 */
export function onceOnly<Transaction>(
  store: OnceOnlyStore<Transaction>,
  event: InvoicePaid,
  handler: (event: InvoicePaid, transaction: Transaction) => Promise<void>,
): Promise<"handled" | "duplicate"> {
  return store.once(event.id, (transaction) => handler(event, transaction));
}

/** In this process only, the newest `keep`: for tests, and handlers that may run again after a restart. */
export function memoryOnceOnly({ keep = 10_000 }: { keep?: number } = {}): OnceOnlyStore<undefined> {
  const handled = new Set<string>();
  const underWay = new Map<string, Promise<boolean>>();

  function remember(id: string): void {
    handled.add(id);
    const [oldest] = handled;
    if (handled.size > keep && oldest !== undefined) handled.delete(oldest);
  }

  return {
    async once(id, work) {
      // A copy that finds the event under way waits; if that try failed, the first to wake takes it up.
      for (let other = underWay.get(id); other !== undefined; other = underWay.get(id)) await other;
      if (handled.has(id)) return "duplicate";
      const working = work(undefined);
      underWay.set(
        id,
        working.then(
          () => true,
          () => false,
        ),
      );
      try {
        await working;
        remember(id);
        return "handled";
      } finally {
        underWay.delete(id);
      }
    },
  };
}

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
