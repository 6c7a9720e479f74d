import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSession } from "../support/database.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { rawSocket } from "../support/raw-socket.ts";
import { ownRelay, startHarness, startRelay, TOKEN } from "../support/relay.ts";

const ADMIN = "admin-token-0123456789abcdef";
const OPS = ["/readyz", "/metrics", "/admin/v1/upstreams"];

async function statuses(url: string, paths: readonly string[] = OPS): Promise<number[]> {
  const ask = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${ADMIN}` } });
  return await Promise.all(paths.map(async (path) => (await ask(path)).status));
}

describe("OPS_PORT", () => {
  it("has what operators ask for, and PORT has it no longer; both say that they live", async () => {
    const { relay } = await ownRelay({ OPS_PORT: "0", ADMIN_TOKENS: ADMIN });
    expect(relay.opsPort).not.toBe(relay.port);
    expect(relay.consoleUrl).toBe(`${relay.opsUrl}/console`);
    expect(await statuses(relay.url, ["/console", "/admin/v1/session"])).toEqual([404, 404]);
    await eventually(() => statuses(relay.opsUrl ?? ""), toEqual([200, 200, 200]));
    expect(await statuses(relay.url)).toEqual([404, 404, 404]);
    expect(await statuses(relay.opsUrl ?? "", ["/healthz", `/callbacks/${TOKEN}`])).toEqual([200, 404]);
    expect(await statuses(relay.url, ["/healthz", `/callbacks/${TOKEN}`])).toEqual([200, 200]);
  });

  it("is there for workers alone, and holds no more connections than MAX_CONNECTIONS (G8)", async () => {
    const harness = await startHarness();
    const changes = { OPS_PORT: "0", ADMIN_TOKENS: ADMIN, MAX_CONNECTIONS: "4" };
    const relay = await startRelay(harness.environment(changes), { http: false, workers: true });
    expect(relay.port).toBeNull();
    const url = relay.opsUrl ?? "";
    await eventually(() => statuses(url), toEqual([200, 200, 200]));
    const asked = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const held = Array.from({ length: 4 }, () => rawSocket(url));
    await vi.waitFor(async () => expect(await rawSocket(url, asked).ended).toBe(""));
    for (const { socket } of held) socket.destroy();
    await vi.waitFor(async () => expect(await rawSocket(url, asked).ended).toMatch(/^HTTP\/1\.1 200 /));
  });

  it("left out keeps /metrics from strangers, and open to this machine, METRICS_TOKEN and ADMIN_TOKENS", async () => {
    const harness = await startHarness();
    const token = "metrics-token-0123456789abcdef";
    const asked = async (changes: Record<string, string>) => {
      const relay = await startRelay(harness.environment({ ADMIN_TOKENS: ADMIN, ...changes }), {
        http: true,
        workers: false,
      });
      return async (headers: Record<string, string> = {}) =>
        (await fetch(`${relay.opsUrl}/metrics`, { headers })).status;
    };
    const bearer = (given: string) => ({ authorization: `Bearer ${given}` });
    const stranger = { "x-forwarded-for": "203.0.113.7" };
    const onPort = await asked({});
    expect(await onPort()).toBe(200);
    for (const headers of [stranger, { forwarded: "for=203.0.113.7" }, { via: "1.1 proxy" }])
      expect(await onPort(headers as Record<string, string>)).toBe(401);
    expect(await onPort({ ...stranger, ...bearer(token) })).toBe(401);
    expect(await onPort({ ...stranger, ...bearer(ADMIN) })).toBe(200);
    const withToken = await asked({ METRICS_TOKEN: token });
    expect(await withToken()).toBe(401);
    expect(await withToken({ ...stranger, ...bearer(token) })).toBe(200);
    expect(await withToken(bearer(ADMIN))).toBe(200);
    expect(await withToken(bearer(`${token}x`))).toBe(401);
    const onOpsPort = await asked({ OPS_PORT: "0" });
    expect(await onOpsPort(stranger)).toBe(200);
    const both = await asked({ OPS_PORT: "0", METRICS_TOKEN: token });
    expect([await both(stranger), await both(bearer(token))]).toEqual([401, 200]);
  });
});

describe("/readyz", () => {
  const ask = async (url: string) => {
    const answer = await fetch(`${url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  const isReady = (url: string) => eventually(async () => (await ask(url)).status, toEqual(200));

  it("is ready while a schema change or a dump holds the callbacks' table", async () => {
    const { harness, relay } = await ownRelay({}, { http: true, workers: false });
    const other = await openSession(harness.databaseUrl);
    await other.query("begin");
    await other.query("lock table callback, confirmation, source, topic in access exclusive mode");
    await isReady(relay.url);
    await other.query("rollback");
  });

  it("tells strangers nothing of why it is not ready, and the log once", async () => {
    const { harness, relay } = await ownRelay({}, { http: true, workers: false });
    const name = new URL(harness.databaseUrl).pathname.slice(1);
    await harness.query(`alter database ${name} set default_transaction_read_only = on`);
    await harness.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
      [name],
    );
    await vi.waitFor(async () => expect((await ask(relay.url)).status).toBe(503));
    expect((await ask(relay.url)).text).not.toMatch(/read-only|Postgres/i);
    expect(relay.lines.filter(({ error }) => /read-only/.test(String(error)))).toHaveLength(1);
  });
});

describe("/metrics", () => {
  it("is counted once a second, whoever asks, and tells how late the event loop is", async () => {
    const { relay } = await ownRelay({}, { http: true, workers: false });
    const page = async () => await (await fetch(`${relay.url}/metrics`)).text();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const pages = await Promise.all(Array.from({ length: 20 }, page));
    expect(new Set(pages).size).toBe(1);
    for (const quantile of ["0.5", "0.99", "1"])
      expect(pages[0]).toMatch(
        new RegExp(`^invoice_relay_event_loop_delay_seconds{quantile="${quantile}"} [\\d.]+(e-\\d+)?$`, "m"),
      );
    await relay.callback({ event: "ping" });
    expect(await page()).toBe(pages[0]);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await page()).toContain('callbacks_total{status="200"} 1'));
  });
});
