import pg from "pg";
import { type PostgresServer, runOn } from "../../test/support/postgres-server.ts";
import type { PostgresFault } from "./schedule.ts";

export interface Faulty {
  server: PostgresServer;
  /** The relay's database, without a proxy. */
  databaseUrl: string;
}

const TABLES = ["callback", "confirmation", "invoice", "event", "outbox", "publication", "alarm", "source"];

/** Makes Postgres fail in this way. @returns a function that ends it. */
export async function failPostgres(how: PostgresFault, faulty: Faulty): Promise<() => Promise<unknown>> {
  const { server, databaseUrl } = faulty;
  const name = new URL(databaseUrl).pathname.slice(1);
  const ours = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'
    and pid <> pg_backend_pid()`;
  switch (how) {
    case "restart-fast":
    case "restart-immediate":
      await server.stop(how === "restart-fast" ? "fast" : "immediate");
      return () => server.start();
    case "terminate":
      await runOn(server.url, ours);
      return async () => {};
    case "read-only":
      await runOn(server.url, `alter database ${name} set default_transaction_read_only = on`, ours);
      return () => runOn(server.url, `alter database ${name} reset default_transaction_read_only`, ours);
    case "full":
      await runOn(server.url, `alter database ${name} connection limit 1`, ours);
      return () => runOn(server.url, `alter database ${name} connection limit -1`);
    case "fail-over":
      await server.failOver?.();
      return async () => {};
    case "serialization":
      return await failWrites(databaseUrl, "40001", 6);
    case "deadlock":
      return await failWrites(databaseUrl, "40P01", 6);
    case "locked":
      return await lockTables(databaseUrl);
  }
}

/** Retries on deadlock: the relay may lock the same tables in another order. */
async function runAgainst(url: string, ...statements: string[]): Promise<unknown> {
  for (let tries = 1; ; tries += 1)
    try {
      return await runOn(url, ...statements);
    } catch (error) {
      if (tries === 20 || !(error instanceof pg.DatabaseError) || error.code !== "40P01") throw error;
    }
}

/**
 * The next few writes of any client fail with this SQLSTATE. A sequence counts them, because it keeps its
 * value when a transaction is rolled back. A superuser can connect even if the database is read-only or full.
 */
async function failWrites(url: string, sqlState: string, times: number): Promise<() => Promise<unknown>> {
  const drop = "drop function if exists faults_fail() cascade; drop sequence if exists faults_failed";
  await runAgainst(
    url,
    drop,
    "create sequence faults_failed",
    `create function faults_fail() returns trigger language plpgsql as $$
      begin
        if nextval('faults_failed') <= ${times} then
          raise exception 'a fault of the test' using errcode = '${sqlState}';
        end if;
        return null;
      end $$`,
    ...TABLES.map(
      (table) => `create trigger faults_fail before insert or update or delete on ${table}
        for each statement execute function faults_fail()`,
    ),
  );
  return () => runAgainst(url, drop);
}

/** A long transaction blocks writers. */
async function lockTables(url: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  await client.query("begin");
  await client.query("lock table confirmation in exclusive mode");
  return async () => {
    await client.end();
  };
}
