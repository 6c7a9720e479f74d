import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { InvoicePaid } from "../../src/events/invoice-paid.ts";
import {
  memoryOnceOnly,
  type OnceOnlyStore,
  onceOnly,
  postgresOnceOnly,
} from "../../src/events/once-only.ts";
import { createEmptyTestDatabase, ownDatabaseUrl } from "../support/database.ts";

const golden = JSON.parse(readFileSync(join(import.meta.dirname, "published/v1/payloads/full.json"), "utf8"));
const newEvent = (): InvoicePaid => ({ ...golden, id: randomUUID() });

async function postgresStore() {
  const pool = new pg.Pool({ connectionString: await ownDatabaseUrl(createEmptyTestDatabase), max: 8 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  await pool.query("create table booking (event_id uuid not null, amount numeric not null)");
  const store = postgresOnceOnly<pg.PoolClient>(pool, { table: 'public.it"s; mine' });
  await store.createTable();
  await store.createTable();
  return { pool, store };
}

describe.each<[string, () => Promise<OnceOnlyStore<unknown>>]>([
  ["in memory", async () => memoryOnceOnly()],
  ["in Postgres", async () => (await postgresStore()).store],
])("onceOnly, %s", (_, makeStore) => {
  it("handles an event once, however often it is delivered", async () => {
    const [store, event] = [await makeStore(), newEvent()];
    const handled: string[] = [];
    const deliver = () => onceOnly(store, event, async ({ id }) => void handled.push(id));

    expect([await deliver(), await deliver()]).toEqual(["handled", "duplicate"]);
    expect(handled).toEqual([event.id]);
    expect(await onceOnly(store, newEvent(), async () => undefined)).toBe("handled");
  });

  it("handles one of several copies that come at once, and tells the others only when it is done", async () => {
    const [store, event] = [await makeStore(), newEvent()];
    const { promise: finish, resolve } = Promise.withResolvers<void>();
    let done = false;
    const handler = async () => {
      await finish;
      done = true;
    };
    const deliveries = Array.from({ length: 5 }, () =>
      onceOnly(store, event, handler).then((outcome) => ({ outcome, done })),
    );
    resolve();
    const outcomes = await Promise.all(deliveries);

    expect(outcomes.filter(({ outcome }) => outcome === "handled")).toHaveLength(1);
    expect(outcomes.every((one) => one.done)).toBe(true);
  });

  it("forgets an event whose handler failed, so that the next delivery handles it", async () => {
    const [store, event] = [await makeStore(), newEvent()];
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const failing = onceOnly(store, event, async () => {
      begun.resolve();
      await over.promise;
      throw new Error("the shop is closed");
    });
    await begun.promise;
    const waiting = onceOnly(store, event, async () => undefined);
    over.resolve();

    await expect(failing).rejects.toThrow("the shop is closed");
    expect(await waiting).toBe("handled");
    expect(await onceOnly(store, event, async () => undefined)).toBe("duplicate");
  });
});

describe("onceOnly, in Postgres", () => {
  const book = async ({ id, data }: InvoicePaid, client: pg.PoolClient) => {
    await client.query("insert into booking values ($1, $2)", [id, data.amount]);
  };
  const bookings = async (pool: pg.Pool) => (await pool.query("select amount from booking")).rows;

  it.each<[string, (client: pg.PoolClient, pool: pg.Pool) => Promise<unknown>]>([
    ["fails", () => Promise.reject(new Error("after writing"))],
    [
      "loses its connection",
      async (client, pool) => {
        // An error of a connection in use also reaches its own listeners; without one it would end the process.
        client.on("error", () => undefined);
        const { rows } = await client.query("select pg_backend_pid() as pid");
        await pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
        await client.query("select 1");
      },
    ],
  ])(
    "a handler that %s after writing leaves nothing, and the next delivery books it once",
    async (_, end) => {
      const { pool, store } = await postgresStore();
      const event = newEvent();
      const failing = onceOnly(store, event, async (given, client) => {
        await book(given, client);
        await end(client, pool);
      });
      await expect(failing).rejects.toThrow();
      expect(await bookings(pool)).toEqual([]);
      expect(await onceOnly(store, event, book)).toBe("handled");
      expect(await bookings(pool)).toEqual([{ amount: "1500.50" }]);
    },
  );

  it("forgets what is old, on request", async () => {
    const { store } = await postgresStore();
    const event = newEvent();
    await onceOnly(store, event, async () => undefined);

    expect(await store.forgetBefore(new Date(Date.now() - 60_000))).toBe(0);
    expect(await onceOnly(store, event, async () => undefined)).toBe("duplicate");
    expect(await store.forgetBefore(new Date(Date.now() + 60_000))).toBe(1);
    expect(await onceOnly(store, event, async () => undefined)).toBe("handled");
  });
});

it("onceOnly, in memory, keeps a bounded number of events (G8)", async () => {
  const store = memoryOnceOnly({ keep: 2 });
  const [oldest, ...newer] = [newEvent(), newEvent(), newEvent()] as const;
  const deliver = (event: InvoicePaid) => onceOnly(store, event, async () => undefined);
  for (const event of [oldest, ...newer]) await deliver(event);
  for (const event of newer) expect(await deliver(event)).toBe("duplicate");
  expect(await deliver(oldest)).toBe("handled");
});
