import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { openSession } from "../../support/database.ts";
import { ownRelay } from "../../support/relay.ts";

it("while Postgres is away a callback gets 503 with Retry-After, then 2xx again, and every 2xx is in the log (G1)", async () => {
  const { harness, relay } = await ownRelay({}, { http: true, workers: false });
  const accepted: string[] = [];
  const others: Response[] = [];
  let stopping = false;
  const sending = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      const id = randomUUID();
      const answer = await relay.callback({ data: { id } });
      if (answer.ok) accepted.push(id);
      else others.push(answer);
    }
  });
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
  stopping = true;
  await Promise.all(sending);
  for (const answer of others) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  const rows = await harness.query("select invoice_ids[1]::text as id from callback");
  const logged = rows.map(({ id }) => id);
  expect(accepted.filter((id) => !logged.includes(id))).toEqual([]);
  expect(new Set(logged).size).toBe(logged.length);
});
