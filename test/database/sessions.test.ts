import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { requireWholeSessions } from "../../src/database/server.ts";
import { Secret } from "../../src/kit/secret.ts";
import { openDatabase } from "../support/database.ts";
import { doctorChecks } from "../support/doctor-checks.ts";
import { startHarness } from "../support/relay.ts";

/** The url by way of something that keeps the end of a session to itself. */
async function keepingEnds(url: string): Promise<string> {
  const server = createServer((client) => {
    const target = connectTcp(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [client, target]) socket.on("error", () => socket.destroy());
    client.pipe(target);
    client.on("close", () => target.destroy());
    target.pipe(client, { end: false });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const passed = new URL(url);
  passed.port = String((server.address() as AddressInfo).port);
  return passed.href;
}

const settled = async (url: string, purpose: "hot" | "work") => {
  const db = openDatabase(url, { max: 1, purpose });
  const { rows } = await sql`
    select current_setting('synchronous_commit') as commit, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('TimeZone') as zone`.execute(db);
  return rows[0];
};

describe("a session", () => {
  it("waits for its commits to be durable, whatever the server's own settings (G1), and holds no lock for long (G11)", async () => {
    const harness = await startHarness();
    const name = new URL(harness.databaseUrl).pathname.slice(1);
    await harness.query(`alter database ${name} set synchronous_commit = off`);
    await harness.query(`alter database ${name} set timezone = 'Asia/Kolkata'`);
    const session = { commit: "on", idle: "5s", zone: "UTC" };
    expect(await settled(harness.databaseUrl, "hot")).toEqual({ ...session, lock: "3s" });
    expect(await settled(harness.databaseUrl, "work")).toEqual({ ...session, lock: "10s" });
  });

  it("that Postgres has ended is used no more, though its end has not arrived yet (G11)", async () => {
    const harness = await startHarness();
    const db = openDatabase(await keepingEnds(harness.databaseUrl), { max: 1 });
    const ended = expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: "57P01" });
    await vi.waitFor(async () =>
      expect(
        await harness.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query = 'select pg_sleep(60)'`,
        ),
      ).toHaveLength(1),
    );
    await ended;
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  it("is the same from one transaction to the next: a message from one reaches another", async () => {
    const harness = await startHarness();
    await requireWholeSessions(new Secret(harness.databaseUrl));
    const checks = await doctorChecks(harness.environment());
    expect(checks).toContainEqual(expect.objectContaining({ about: "sessions", state: "ok" }));
  });
});
