import type { Request } from "express";
import { describe, expect, it, vi } from "vitest";
import { readSettings } from "../../src/platform/config/settings.ts";
import { mayReadMetrics } from "../../src/runtime/http-app.ts";
import { openSession } from "../support/database.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { rawSocket } from "../support/raw-socket.ts";
import { ownRelay, startHarness, startRelay, TOKEN } from "../support/relay.ts";

const ADMIN = "admin-token-0123456789abcdef";
const OPS = ["/readyz", "/metrics", "/admin/v1/alarms"];

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
});

it("/readyz is ready while a schema change or a dump holds the callbacks' table", async () => {
  const { harness, relay } = await ownRelay({}, { http: true, workers: false });
  const other = await openSession(harness.databaseUrl);
  await other.query("begin");
  await other.query("lock table callback, confirmation, source, topic in access exclusive mode");
  await eventually(() => statuses(relay.url, ["/readyz"]), toEqual([200]));
  await other.query("rollback");
});

describe("/metrics", () => {
  const [token, stranger, here] = ["metrics-token-0123456789abcdef", "203.0.113.7", "127.0.0.1"];
  const onOpsPort = { OPS_PORT: "0" };
  it.each<[string, object, string, string | null, object, boolean]>([
    ["this machine", {}, here, null, {}, true],
    ["a stranger", {}, stranger, null, {}, false],
    ["a proxy's client", {}, here, null, { "x-forwarded-for": stranger }, false],
    ["a proxy's client", {}, here, null, { forwarded: `for=${stranger}` }, false],
    ["a proxy's client", {}, here, null, { via: "1.1 proxy" }, false],
    ["a stranger with a wrong token", {}, stranger, token, {}, false],
    ["a stranger with one of ADMIN_TOKENS", {}, stranger, ADMIN, {}, true],
    ["this machine without METRICS_TOKEN", { METRICS_TOKEN: token }, here, null, {}, false],
    ["a stranger with METRICS_TOKEN", { METRICS_TOKEN: token }, stranger, token, {}, true],
    ["ADMIN_TOKENS beside METRICS_TOKEN", { METRICS_TOKEN: token }, here, ADMIN, {}, true],
    ["a longer token", { METRICS_TOKEN: token }, here, `${token}x`, {}, false],
    ["anybody on OPS_PORT", onOpsPort, stranger, null, {}, true],
    ["on OPS_PORT with METRICS_TOKEN set", { ...onOpsPort, METRICS_TOKEN: token }, here, null, {}, false],
  ])("may be read, or not, by %s (%j)", (_, changes, remoteAddress, bearer, more, may) => {
    const settings = readSettings({ ADMIN_TOKENS: ADMIN, ...changes });
    const headers = { ...more, ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }) };
    expect(mayReadMetrics({ headers, socket: { remoteAddress } } as Request, settings)).toBe(may);
  });

  it("is refused with 401 to a proxy's client", async () => {
    const { relay } = await ownRelay({}, { http: true, workers: false });
    const headers = { "x-forwarded-for": stranger };
    expect((await fetch(`${relay.url}/metrics`, { headers })).status).toBe(401);
  });

  it("tells how late the event loop is, and counts each callback", async () => {
    const { relay } = await ownRelay({}, { http: true, workers: false });
    await relay.callback({ event: "ping" });
    const page = await (await fetch(`${relay.url}/metrics`)).text();
    for (const quantile of ["0.5", "0.99", "1"])
      expect(page).toMatch(
        new RegExp(`^invoice_relay_event_loop_delay_seconds{quantile="${quantile}"} [\\d.]+(e-\\d+)?$`, "m"),
      );
    expect(page).toContain('callbacks_total{status="200"} 1');
  });
});
