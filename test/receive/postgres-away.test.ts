import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { Secret } from "../../src/kit/secret.ts";
import { openSession, queryOn } from "../support/database.ts";
import { embeddedServer } from "../support/postgres-server.ts";
import { ownRelay, type TestRelay } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/**
 * Sends callbacks, 8 at a time, until told to stop; remembers which ids got 2xx and all answers that were
 * not.
 */
function senders(relay: TestRelay) {
  const accepted: string[] = [];
  const others: Response[] = [];
  let stopping = false;
  const send = async () => {
    while (!stopping) {
      const id = randomUUID();
      const answer = await relay.callback({ data: { id } });
      if (answer.ok) accepted.push(id);
      else others.push(answer);
    }
  };
  const running = Promise.all(Array.from({ length: 8 }, send));
  return {
    accepted,
    others,
    stop: async () => {
      stopping = true;
      await running;
    },
  };
}

const LOGGED = "select invoice_ids[1]::text as id from callback";

describe("when Postgres goes away while callbacks come in", () => {
  it("its connections cut and refused: 503 with Retry-After, then by itself 2xx again, and every 2xx is in the log (G1)", async () => {
    const { harness, relay } = await ownRelay({}, { http: true, workers: false });
    const { accepted, others, stop } = senders(relay);
    const name = new URL(harness.databaseUrl).pathname.slice(1);
    const admin = new URL(harness.databaseUrl);
    admin.pathname = "/postgres";
    const outside = await openSession(admin.href);
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(20));

    await outside.query(`alter database ${name} allow_connections false`);
    await outside.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    await vi.waitFor(() => expect(others.length).toBeGreaterThan(5));
    expect((await fetch(`${relay.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${relay.url}/healthz`)).status).toBe(200);

    await outside.query(`alter database ${name} allow_connections true`);
    const before = accepted.length;
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(before + 20));
    await stop();
    for (const answer of others) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    }
    const logged = (await harness.query<{ id: string }>(LOGGED)).map(({ id }) => id);
    expect(accepted.filter((id) => !logged.includes(id))).toEqual([]);
    expect(new Set(logged).size).toBe(logged.length);
  });

  it("the server stopped and started again: the same", async () => {
    const folder = await temporaryFolder();
    const server = await embeddedServer(folder);
    onTestFinished(() => server.close());
    const { db, close } = connect(new Secret(server.url), { max: 1 });
    await migrateToLatest(db, "relay");
    await close();
    const { relay } = await ownRelay(
      { DATABASE_URL: server.url },
      {
        http: true,
        workers: false,
      },
    );
    const { accepted, others, stop } = senders(relay);
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(20));
    await server.stop("fast");
    await vi.waitFor(() => expect(others.length).toBeGreaterThan(5));

    await server.start();
    const before = accepted.length;
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(before + 20));
    await stop();
    expect(others.every((answer) => answer.status === 503)).toBe(true);
    const logged = new Set((await queryOn(server.url, LOGGED)).map(({ id }) => id));
    expect(accepted.filter((id) => !logged.has(id))).toEqual([]);
  });
});
