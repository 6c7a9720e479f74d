import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { runCli, startCli } from "../support/cli-process.ts";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { ownPort } from "../support/own-port.ts";
import { onTestFinished } from "../support/own-test.ts";
import { type Harness, startHarness, TOKEN } from "../support/relay.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const AWS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
const WAIT = { interval: 50 };

/** `serve` whose way to Postgres is broken from the beginning. */
async function waiting(harness: Harness, kind: "refuse" | "black-hole") {
  const proxy = await TcpProxy.start(Number(new URL(harness.databaseUrl).port));
  onTestFinished(() => proxy.close());
  proxy.fault({ kind });
  const port = await ownPort();
  const relay = startCli(["serve"], {
    ...harness.environment({ DATABASE_URL: proxy.through(harness.databaseUrl), PORT: String(port) }),
    ...AWS,
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), WAIT);
  return { proxy, relay, url };
}

const callback = (url: string, id: string) =>
  fetch(`${url}/callbacks/${TOKEN}`, { method: "POST", body: JSON.stringify({ data: { id } }) });

describe.concurrent.each(["refuse", "black-hole"] as const)(
  "serve, started while Postgres is away (%s)",
  (kind) => {
    it("lives, is not ready, answers callbacks 503, alarms, and goes on by itself (G1, G11)", async () => {
      const harness = await startHarness();
      const id = harness.provider.paid();
      const { proxy, relay, url } = await waiting(harness, kind);

      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      const refused = await callback(url, id);
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      await relay.says('"alarm":"database_away"');
      expect(relay.child.exitCode).toBeNull();

      proxy.heal();
      await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), WAIT);
      expect((await callback(url, id)).status).toBe(200);
      const event = () => harness.query(`select state from ${EVENTS} where invoice_id = $1`, [id]);
      await eventually(event, toEqual([{ state: "published" }]));
      const ended = "select name from alarm where name = 'database_away' and cleared_at is not null";
      await eventually(() => harness.query(ended), toHaveLength(1));
    });

    it("stops at SIGTERM while it waits", async () => {
      const { relay } = await waiting(await startHarness(), kind);
      relay.child.kill("SIGTERM");
      expect(await relay.ended).toBe(0);
    });
  },
);

it("serve, whose first write meets another transaction, tries again, and goes on", async () => {
  const harness = await startHarness();
  await harness.query("create sequence met");
  await harness.query(`create function meet() returns trigger language plpgsql as $$
    begin
      if nextval('met') = 1 then raise exception 'it met another' using errcode = '40001'; end if;
      return null;
    end $$`);
  await harness.query(
    "create trigger meet before insert or update on source for each statement execute function meet()",
  );
  const relay = startCli(["serve"], { ...harness.environment({ PORT: "0" }), ...AWS });
  await relay.says('"port":');
  expect(await harness.query("select from met where last_value > 1")).toHaveLength(1);
});

describe.concurrent("serve, and what waiting would not mend", () => {
  it("ends when the database that it waited for lacks a migration", async () => {
    const harness = await startHarness();
    await harness.query("delete from kysely_migration where name = '0005_replays'");
    const { proxy, relay, url } = await waiting(harness, "refuse");
    await relay.says('"level":"warn"');
    proxy.heal();
    expect((await callback(url, randomUUID()).catch(() => null))?.status ?? 503).toBe(503);
    expect(await relay.ended).toBe(1);
    expect(relay.output.stderr).toContain("(0005_replays)");
    expect(await harness.query("select from callback")).toEqual([]);
  });

  it.each<[string, Partial<URL>]>([
    ["a wrong password", { password: "wrong" }],
    ["a database that does not exist", { pathname: "/nowhere" }],
  ])("ends at %s", async (_what, changes) => {
    const harness = await startHarness();
    const url = Object.assign(new URL(harness.databaseUrl), changes);
    expect((await runCli(["serve"], harness.environment({ DATABASE_URL: url.href }))).code).toBe(1);
  });
});
