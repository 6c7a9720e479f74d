import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDatabase, ownDatabaseUrl, queryOn } from "../../support/database.ts";

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

describe("a session", () => {
  it("waits for its commits to be durable, whatever the server's own settings (G1), and holds no lock for long (G11)", async () => {
    const url = await ownDatabaseUrl();
    const name = new URL(url).pathname.slice(1);
    await queryOn(url, `alter database ${name} set synchronous_commit = off`);
    await queryOn(url, `alter database ${name} set timezone = 'Asia/Kolkata'`);
    for (const [purpose, lock] of [
      ["hot", "3s"],
      ["work", "10s"],
    ] as const) {
      const { rows } = await sql`
        select current_setting('synchronous_commit') as commit, current_setting('lock_timeout') as lock,
          current_setting('idle_in_transaction_session_timeout') as idle,
          current_setting('TimeZone') as zone`.execute(openDatabase(url, { max: 1, purpose }));
      expect(rows).toEqual([{ commit: "on", idle: "5s", zone: "UTC", lock }]);
    }
  });

  it("that Postgres has ended is used no more, though its end has not arrived yet (G11)", async () => {
    const url = await ownDatabaseUrl();
    const db = openDatabase(await keepingEnds(url), { max: 1 });
    const ended = expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: "57P01" });
    const ending = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(60)'`;
    await vi.waitFor(async () => expect(await queryOn(url, ending)).toHaveLength(1));
    await ended;
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });
});
