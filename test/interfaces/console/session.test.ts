import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ABSOLUTE_MS, IDLE_MS, Sessions } from "../../../src/interfaces/admin-api/sessions.ts";
import { operations, roleFor } from "../../../src/operations/index.ts";
import { readSettings } from "../../../src/platform/config/settings.ts";
import { ADMIN, ADMIN_TOKENS, adminApi, cookieIn, OPERATOR, READER } from "../../support/admin.ts";
import { rawSocket } from "../../support/raw-socket.ts";
import { startRelay } from "../../support/relay.ts";

const tokensOf = (text: string) => readSettings({ ADMIN_TOKENS: text }).ADMIN_TOKENS ?? [];

async function signedIn(token = OPERATOR, changes: Record<string, string | undefined> = {}) {
  const api = await adminApi(changes);
  const answer = await api.send("POST", "/session", { body: { token } });
  expect(answer.status).toBe(200);
  const cookie = cookieIn(answer) ?? "";
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.send(method, path, { headers: { cookie, ...headers }, body });
  return { ...api, answer, cookie, ask };
}

/** What is answered to somebody who signs in at this Host: a browser's fetch sets no other one. */
async function raw(url: string, host: string, token: string, origin = `https://${host}`): Promise<string> {
  const body = JSON.stringify({ token });
  const lines = [
    "POST /admin/v1/session HTTP/1.1",
    `Host: ${host}`,
    `Origin: ${origin}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return await rawSocket(url, `${lines.join("\r\n")}\r\n\r\n${body}`).ended;
}

describe("a session of the console", () => {
  it("begins with a token, says who it is and what they may do, and is audited under their name", async () => {
    const { harness, answer, ask, relay } = await signedIn();
    expect(answer.body).toMatchObject({ name: "obi", role: "operate" });
    expect(answer.body.operations).toContain("retryDead");
    expect(answer.body.operations).not.toContain("eraseInvoice");
    expect(Date.parse(answer.body.expiresAt) - Date.now()).toBeGreaterThan(IDLE_MS - 60_000);
    expect(await ask("GET", "/session")).toMatchObject({
      status: 200,
      body: { name: "obi", role: "operate" },
    });
    expect((await ask("GET", "/alarms")).status).toBe(200);
    expect((await ask("POST", "/pause", { work: "publish", reason: "drill" })).status).toBe(200);
    const entries = await harness.query("select actor, action from audit_entry order by id");
    expect(entries).toEqual([
      { actor: "admin:obi", action: "console.sign_in" },
      { actor: "admin:obi", action: "pause.publish" },
    ]);
    expect(JSON.stringify([relay.lines, entries])).not.toContain(OPERATOR);
  });

  it("is a cookie that scripts and other sites cannot use: bound to the host and to https where that is used", async () => {
    const { answer } = await signedIn(OPERATOR, { OPS_PORT: "0" });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^relay-session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    // On OPS_PORT too: whoever has TLS has it there, but for a browser on this machine.
    const own = await adminApi({ OPS_PORT: "0" });
    const named = await raw(own.relay.opsUrl ?? "", "ops.example.com", READER);
    expect(named).toMatch(
      /^set-cookie: __Host-relay-session=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/im,
    );
    const plain = await raw(own.relay.opsUrl ?? "", "ops.example.com", READER, "http://ops.example.com");
    expect(plain).toMatch(/^HTTP\/1\.1 403 /);
    const proxied = await adminApi({ TRUSTED_PROXIES: "loopback" });
    const headers = { "x-forwarded-proto": "https" };
    const secure = await proxied.send("POST", "/session", { headers, body: { token: READER } });
    expect(secure.headers.get("set-cookie")).toMatch(
      /^__Host-relay-session=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const cookie = cookieIn(secure) ?? "";
    expect((await proxied.send("GET", "/session", { headers: { ...headers, cookie } })).status).toBe(200);
    // Over plain http nothing of it is taken.
    expect((await proxied.send("GET", "/session", { headers: { cookie } })).status).toBe(401);
  });

  it("changes nothing for another site", async () => {
    const { ask, relay, send, harness } = await signedIn();
    const refused: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: relay.url },
      { origin: "https://elsewhere.example" },
      { origin: "null" },
    ];
    for (const headers of refused) {
      const name = JSON.stringify(headers);
      expect(await ask("POST", "/pause", { work: "publish" }, headers), name).toMatchObject({ status: 403 });
      expect(await ask("DELETE", "/session", undefined, headers), name).toMatchObject({ status: 403 });
    }
    expect(await ask("POST", "/pause", { work: "confirm" }, { origin: relay.url })).toMatchObject({
      status: 200,
    });
    expect(await harness.query("select from topic where paused_by is not null")).toEqual([]);
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await send("POST", "/session", { headers, body: { token: OPERATOR } })).status).toBe(403);
  });

  it("does what its role may, and no more; nor does a bearer token", async () => {
    const { call } = await adminApi();
    const own = await signedIn(READER);
    for (const one of operations) {
      const path = one.path.replaceAll(/\{\w+\}/g, crypto.randomUUID());
      const given = [one.method.toUpperCase(), path, one.method === "get" ? undefined : {}] as const;
      const role = roleFor(one);
      if (role === "admin") expect((await call(...given, OPERATOR)).status, path).toBe(403);
      if (one.method === "get" || role !== "read")
        expect([path, (await call(...given, READER)).status === 403]).toEqual([path, role !== "read"]);
      if (role !== "read") expect((await own.ask(...given)).status, `${path} by cookie`).toBe(403);
    }
    expect((await call("POST", "/pause", { work: "publish" }, OPERATOR)).status).toBe(200);
    expect((await call("POST", "/retention", {}, ADMIN)).status).toBe(200);
    expect((await call("GET", "/session", undefined, READER)).status).toBe(401);
  });

  it("that was signed out of opens nothing with a copy of its cookie, in any process; others go on", async () => {
    const { harness, relay, cookie, ask, send } = await signedIn();
    const other = await send("POST", "/session", { body: { token: OPERATOR } });
    const environment = harness.environment({ ADMIN_TOKENS });
    const beside = await startRelay(environment, { http: true, workers: false });
    const statusOf = async (url: string, copy: string) =>
      (await fetch(`${url}/admin/v1/alarms`, { headers: { cookie: copy } })).status;
    expect(await statusOf(beside.url, cookie)).toBe(200);
    const out = await ask("DELETE", "/session");
    expect(out).toMatchObject({ status: 200, body: { signedOut: true } });
    expect(out.headers.get("set-cookie")).toMatch(/^relay-session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    const later = await startRelay(environment, { http: true, workers: false });
    for (const { url } of [relay, beside, later]) {
      expect(await statusOf(url, cookie)).toBe(401);
      expect(await statusOf(url, cookieIn(other) ?? "")).toBe(200);
    }
    const change = { headers: { cookie }, body: { work: "publish" } };
    expect((await send("POST", "/pause", change)).status).toBe(401);
  });

  it("opens nothing while nobody can tell whether it has ended", async () => {
    const { harness, ask } = await signedIn();
    await harness.query("alter table ended_session rename to away");
    expect((await ask("GET", "/alarms")).status).toBeGreaterThanOrEqual(400);
    await harness.query("alter table away rename to ended_session");
    expect((await ask("GET", "/alarms")).status).toBe(200);
  });

  it("is not begun by a wrong token, which is counted; a right one always is", async () => {
    const { send, relay } = await adminApi();
    const wrong = await send("POST", "/session", { body: { token: "guess-of-some-length" } });
    expect(wrong.status).toBe(401);
    expect((await send("POST", "/session", { body: { token: ADMIN } })).status).toBe(200);
    const bad = [{}, { token: "" }, { token: 7 }, { token: "x".repeat(2_000) }, { token: ADMIN, more: 1 }];
    for (const body of bad) expect((await send("POST", "/session", { body })).status).toBe(400);
    const metrics = await (await fetch(`${relay.url}/metrics`)).text();
    expect(metrics).toContain('invoice_relay_admin_refused_total{status="401"} 1');
  });

  it("is known to every process that has its token, and to none that has it no longer", async () => {
    const { harness, cookie } = await signedIn();
    const status = async (tokens: string) => {
      const relay = await startRelay(harness.environment({ ADMIN_TOKENS: tokens }), {
        http: true,
        workers: false,
      });
      return (await fetch(`${relay.url}/admin/v1/session`, { headers: { cookie } })).status;
    };
    expect(await status(ADMIN_TOKENS)).toBe(200);
    expect(await status(`renamed:read:${OPERATOR}`)).toBe(200);
    expect(await status(`ada:read:${READER}`)).toBe(401);
  });

  it("ends after 30 minutes without a request, and after twelve hours whatever happens", async () => {
    const { ask, send, cookie } = await signedIn();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const start = Date.now();
    vi.setSystemTime(start + IDLE_MS - 1_000);
    const prolonged = cookieIn(await ask("GET", "/session")) ?? "";
    expect(prolonged).not.toBe(cookie);
    vi.setSystemTime(start + IDLE_MS + 1_000);
    expect((await ask("GET", "/session")).status).toBe(401);
    let latest = prolonged;
    for (let at = IDLE_MS; at < ABSOLUTE_MS; at += IDLE_MS - 60_000) {
      vi.setSystemTime(start + at);
      const answer = await send("GET", "/session", { headers: { cookie: latest } });
      expect(answer.status).toBe(200);
      latest = cookieIn(answer) ?? latest;
    }
    vi.setSystemTime(start + ABSOLUTE_MS + 1);
    expect((await send("GET", "/session", { headers: { cookie: latest } })).status).toBe(401);
  });

  it("is not prolonged by what its pages ask by themselves", async () => {
    const { ask } = await signedIn();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + IDLE_MS / 2);
    for (const path of ["/session", "/alarms"]) {
      const answer = await ask("GET", path, undefined, { "x-unattended": "1" });
      expect([answer.status, cookieIn(answer)], path).toEqual([200, null]);
    }
    for (const path of ["/session", "/alarms"])
      expect(cookieIn(await ask("GET", path)), path).toMatch(/^relay-session=/);
  });

  it("cannot be made without its token, nor changed", () => {
    const sessions = new Sessions(tokensOf(ADMIN_TOKENS));
    const [holder] = tokensOf(ADMIN_TOKENS);
    const own = new Sessions(holder === undefined ? [] : [holder]);
    const session = own.begin(holder as NonNullable<typeof holder>, 1_000);
    const sealed = own.seal(session);
    expect(sessions.open(sealed, 2_000)).toMatchObject({ session: { holder: { name: "ada" } } });
    const parts = sealed.split(".");
    const changed = [
      sealed.slice(0, -1),
      `${sealed.slice(0, -1)}${sealed.endsWith("A") ? "B" : "A"}`,
      [parts[0], String(Number(parts[1]) + 1), parts[2], parts[3]].join("."),
      [parts[0], parts[1], String(Number(parts[2]) + 1), parts[3]].join("."),
      "",
      "....",
    ];
    for (const one of changed) expect(sessions.open(one, 2_000), one).toBeNull();
    expect(sessions.open(sealed, 1_000 + IDLE_MS)).toEqual({ ended: true });
  });
});

describe("ADMIN_TOKENS", () => {
  it("are name:role:token; a token alone may do all, and is named by its digest", () => {
    const [ada, bare] = tokensOf(`ada:read:${READER},${ADMIN}`);
    expect(ada).toMatchObject({ name: "ada", role: "read" });
    expect(bare).toMatchObject({ name: expect.stringMatching(/^[0-9a-f]{8}$/), role: "admin" });
    expect(JSON.stringify([ada, bare])).not.toContain(READER);
    for (const wrong of [
      "ada:root:0123456789012345678901",
      "ada:read:short",
      "short",
      "a b:read:0123456789012345678901",
    ])
      expect(() => tokensOf(wrong), wrong).toThrow(/name:role:token/);
  });
});
