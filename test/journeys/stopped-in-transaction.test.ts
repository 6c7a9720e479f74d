import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { onTestFinished } from "../support/own-test.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const SOURCES = join(import.meta.dirname, "../../src");

/** The default LEASE_DURATION, in ms. */
const LEASE_MS = 15_000;

const TRANSACTION_WAITS =
  "select setting from pg_settings where name = 'idle_in_transaction_session_timeout'";

/**
 * Starts a process that runs statements in a transaction on a connection of the relay's own, and stops before
 * the commit; gives how long Postgres lets such a transaction wait, in ms.
 */
async function stopsHolding(databaseUrl: string, statements: readonly string[]): Promise<number> {
  const program = `
    const { connect } = await import("${SOURCES}/platform/database/connect.ts");
    const { Secret } = await import("${SOURCES}/platform/values/mask.ts");
    const { sql } = await import("kysely");
    const { db } = connect(new Secret(process.env.DATABASE_URL), { max: 1 });
    await db.transaction().execute(async (trx) => {
      for (const statement of ${JSON.stringify(statements)}) await sql.raw(statement).execute(trx);
      const { rows } = await sql.raw(${JSON.stringify(TRANSACTION_WAITS)}).execute(trx);
      process.stdout.write(rows[0].setting);
      process.kill(process.pid, "SIGSTOP");
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: join(SOURCES, ".."),
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = await once(child.stdout, "data");
  return Number(said);
}

const allRowsOf = (table: string) => `select * from ${table} for update`;

it.concurrent.each([
  ["rows of everything on the path", ["confirmation", "source", "topic", "invoice", "outbox"].map(allRowsOf)],
  ["the whole log, as retention does", ["lock table callback in access exclusive mode"]],
  [
    "what one process does at a time",
    [
      `select pg_advisory_xact_lock(hashtext('invoice-relay partitions')),
        pg_advisory_xact_lock(hashtext('invoice-relay roles'))`,
    ],
  ],
])(
  "a process stopped while it holds %s: the others go on within three leases (G11)",
  async (_, statements) => {
    const harness = await startHarness();
    const first = await startRelay(harness.environment());
    const [before, held, after] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [before, held, after]) harness.provider.invoice(id, invoiceAnswer(id));
    const published = () =>
      harness.sns.messages(harness.topicArn).map(({ message }) => JSON.parse(message).subject);
    await first.callback({ data: { id: before } });
    await vi.waitFor(() => expect(published()).toEqual([before]));
    await harness.query(
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at)
     values ($1, 'default', 'callback', now(), now(), now() + interval '1 hour')`,
      [held],
    );

    // By Postgres' clock, and with a lease more for whoever goes on.
    const heldMs = await stopsHolding(harness.databaseUrl, statements);
    expect(heldMs).toBeGreaterThan(0);
    expect(heldMs).toBeLessThanOrEqual(2 * LEASE_MS);
    const second = startRelay(harness.environment());
    for (const id of [held, after])
      await vi.waitFor(async () => expect((await first.callback({ data: { id } })).status).toBe(200));
    await vi.waitFor(() => expect(published().toSorted()).toEqual([before, held, after].toSorted()));
    await second;
  },
);
