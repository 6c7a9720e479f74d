import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { requireWholeSessions } from "../../src/database/server.ts";
import { Secret } from "../../src/kit/secret.ts";
import { openDatabase } from "../support/database.ts";
import { doctorChecks } from "../support/doctor-checks.ts";
import { startRelay, surroundings } from "../support/relay.ts";

/** The url by way of something that changes what it passes on to Postgres, or keeps the end of a session. */
async function through(
  url: string,
  { changed = (bytes: Buffer) => bytes, keepsEnds = false },
): Promise<string> {
  const server = createServer((client) => {
    const target = connectTcp(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [client, target]) socket.on("error", () => socket.destroy());
    client.on("data", (bytes: Buffer) => target.write(changed(bytes)));
    client.on("close", () => target.destroy());
    target.pipe(client, { end: !keepsEnds });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const passed = new URL(url);
  passed.port = String((server.address() as AddressInfo).port);
  return passed.href;
}

/** As poolers do that are told to: one setting of every session is swallowed. */
const withoutCommitSetting = (bytes: Buffer) =>
  Buffer.from(
    bytes.toString("latin1").replaceAll("set synchronous_commit", "set pooler.drops_it_al"),
    "latin1",
  );

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
    const around = await surroundings();
    const name = new URL(around.databaseUrl).pathname.slice(1);
    await around.query(`alter database ${name} set synchronous_commit = off`);
    await around.query(`alter database ${name} set timezone = 'Asia/Kolkata'`);
    const session = { commit: "on", idle: "5s", zone: "UTC" };
    expect(await settled(around.databaseUrl, "hot")).toEqual({ ...session, lock: "3s" });
    expect(await settled(around.databaseUrl, "work")).toEqual({ ...session, lock: "10s" });
  });

  it("that Postgres has ended is used no more, though its end has not arrived yet (G11)", async () => {
    const around = await surroundings();
    const db = openDatabase(await through(around.databaseUrl, { keepsEnds: true }), { max: 1 });
    const ended = expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: "57P01" });
    await vi.waitFor(async () =>
      expect(
        await around.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query = 'select pg_sleep(60)'`,
        ),
      ).toHaveLength(1),
    );
    await ended;
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  it("whose commits would not be durable is refused: serve does not start, doctor says why", async () => {
    const around = await surroundings();
    const name = new URL(around.databaseUrl).pathname.slice(1);
    await around.query(`alter database ${name} set synchronous_commit = off`);
    const DATABASE_URL = await through(around.databaseUrl, { changed: withoutCommitSetting });
    const environment = around.environment({ DATABASE_URL });

    await expect(startRelay(environment)).rejects.toThrow(
      /synchronous_commit is off, though it was set to on/,
    );
    const checks = await doctorChecks(environment);
    expect(checks.filter(({ about }) => about === "database")).toEqual([
      {
        about: "database",
        state: "fault",
        says: expect.stringContaining("synchronous_commit is off"),
        away: false,
      },
    ]);
  });

  it("is the same from one transaction to the next: a message from one reaches another", async () => {
    const around = await surroundings();
    await requireWholeSessions(new Secret(around.databaseUrl));
    const checks = await doctorChecks(around.environment());
    expect(checks).toContainEqual({
      about: "sessions",
      state: "ok",
      says: "commits are durable, messages arrive",
    });
  });
});
