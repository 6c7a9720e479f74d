import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { openSession } from "../support/database.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";

const SECRET = "a-secret-for-signatures-0123456789";
const WEBHOOK_SECRET = `whsec_${randomBytes(32).toString("base64")}`;

/** Signed by hand from the specifications, not by our own code. */
const hmac = (algorithm: string, encoding: "hex" | "base64", body: string, secret = SECRET) =>
  createHmac(algorithm, secret).update(body).digest(encoding);
function webhookHeaders(body: string, at = Date.now(), secret = WEBHOOK_SECRET): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`msg_1.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,AAAA v1,${signature}`,
  };
}

async function relayWith(changes: Record<string, string>, workers = false) {
  const { harness, relay } = await ownRelay(changes, { http: true, workers });
  const send = async (body: string, headers: Record<string, string>) =>
    (await relay.callback(body, { headers })).status;
  return { harness, relay, send };
}

describe("a signature check", () => {
  const body = '{"event":"payment.successful","note":"ÄÖ\u{1F4B6}"}';

  it.each([
    ["hex", {}, { "x-signature": hmac("sha256", "hex", body) }],
    ["HEX in capitals", {}, { "x-signature": hmac("sha256", "hex", body).toUpperCase() }],
    ["base64", {}, { "x-signature": hmac("sha256", "base64", body) }],
    [
      "SHA-512 behind a prefix in a header of its own",
      { CALLBACK_HMAC_ALGORITHM: "sha512", CALLBACK_HMAC_PREFIX: "sha512=", CALLBACK_HMAC_HEADER: "X-Hub" },
      { "x-hub": `sha512=${hmac("sha512", "hex", body)}` },
    ],
    [
      "the older of two secrets",
      { CALLBACK_HMAC_SECRETS: `another-secret-of-some-length,${SECRET}` },
      { "x-signature": hmac("sha256", "hex", body) },
    ],
  ])("takes an HMAC over the raw bytes: %s", async (_name, changes, headers) => {
    const { send } = await relayWith({ CALLBACK_HMAC_SECRETS: SECRET, ...changes });
    expect(await send(body, headers)).toBe(200);
    expect(await send(`${body} `, headers)).toBe(400);
  });

  it("refuses a missing, empty, shortened or foreign HMAC", async () => {
    const { send } = await relayWith({ CALLBACK_HMAC_SECRETS: SECRET, CALLBACK_HMAC_PREFIX: "sha256=" });
    const right = hmac("sha256", "hex", body);
    const wrong = [
      "",
      "sha256=",
      right,
      `sha256=${right.slice(0, 62)}`,
      `sha256=${hmac("sha256", "hex", body, "x")}`,
    ];
    for (const signature of wrong)
      expect(await send(body, { "x-signature": signature }), signature).toBe(400);
    expect(await send(body, {})).toBe(400);
    expect(await send(body, { "x-signature": `sha256=${right}` })).toBe(200);
  });

  it("takes a token in a header, one of several, and no other", async () => {
    const { send } = await relayWith({
      CALLBACK_HEADER_TOKENS: `first-token-0123456789,${SECRET}`,
      CALLBACK_HEADER_NAME: "X-Verify",
    });
    expect(await send(body, { "x-verify": SECRET })).toBe(200);
    expect(await send(body, { "x-verify": `${SECRET}x` })).toBe(400);
    expect(await send(body, {})).toBe(400);
  });

  it("takes Standard Webhooks within five minutes either way, and neither older nor changed ones", async () => {
    const { send } = await relayWith({ CALLBACK_WEBHOOK_SECRETS: WEBHOOK_SECRET });
    const minutes = (n: number) => Date.now() + n * 60_000;
    expect(await send(body, webhookHeaders(body))).toBe(200);
    expect(await send(body, webhookHeaders(body, minutes(-4)))).toBe(200);
    expect(await send(body, webhookHeaders(body, minutes(-6)))).toBe(400);
    expect(await send(body, webhookHeaders(body, minutes(6)))).toBe(400);
    expect(await send(`${body} `, webhookHeaders(body))).toBe(400);
    expect(await send(body, { ...webhookHeaders(body), "webhook-id": "msg_2" })).toBe(400);
    expect(await send(body, { ...webhookHeaders(body), "webhook-timestamp": "soon" })).toBe(400);
  });
});

describe("allowed addresses", () => {
  it("hold for the client behind a trusted proxy, who cannot add one of his own", async () => {
    const { send } = await relayWith({
      CALLBACK_ALLOWED_ADDRESSES: "203.0.113.0/24",
      TRUSTED_PROXIES: "loopback",
    });
    expect(await send("{}", { "x-forwarded-for": "203.0.113.7" })).toBe(200);
    expect(await send("{}", { "x-forwarded-for": "::ffff:203.0.113.7" })).toBe(200);
    expect(await send("{}", { "x-forwarded-for": "198.51.100.1" })).toBe(400);
    // The proxy appends the address that it saw: what stands before is the sender's own word.
    expect(await send("{}", { "x-forwarded-for": "203.0.113.7, 198.51.100.1" })).toBe(400);
    expect(await send("{}", { "x-forwarded-for": "no address" })).toBe(400);
  });

  it.each([
    ["203.0.113.7:51234", "203.0.113.7"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["203.0.113.7:51234, 127.0.0.1:80", "203.0.113.7"],
    ["[2001:db8::1]", "2001:db8::1"],
  ])("hold for a client whose proxy names its port: %s", async (forwarded, address) => {
    const { send, harness } = await relayWith({
      CALLBACK_ALLOWED_ADDRESSES: "203.0.113.0/24,2001:db8::/32",
      TRUSTED_PROXIES: "loopback",
    });
    expect(await send("{}", { "x-forwarded-for": forwarded })).toBe(200);
    expect(await harness.query("select remote_address from callback")).toEqual([{ remote_address: address }]);
  });

  it("are recorded as plain IPv4 where they come mapped into IPv6", async () => {
    const { send, harness } = await relayWith({ TRUSTED_PROXIES: "loopback" });
    for (const address of ["::ffff:203.0.113.7", "::ffff:cb00:7107", "2001:db8::7"])
      expect(await send("{}", { "x-forwarded-for": address })).toBe(200);
    const rows = await harness.query("select remote_address from callback order by 1");
    expect(rows.map((row) => row.remote_address)).toEqual(["2001:db8::7", "203.0.113.7", "203.0.113.7"]);
  });

  it("do not believe X-Forwarded-For when no proxy is trusted", async () => {
    const { send, harness } = await relayWith({ CALLBACK_ALLOWED_ADDRESSES: "203.0.113.0/24" });
    expect(await send("{}", { "x-forwarded-for": "203.0.113.7" })).toBe(400);
    const rows = await harness.query("select remote_address from callback");
    expect(rows).toEqual([{ remote_address: "127.0.0.1" }]);
  });
});

const REFUSED = "select name, source, subject from alarm where cleared_at is null";

describe("a callback that fails a check", () => {
  it("is recorded as refused with its ids, asks nothing (G3), is alarmed and counted", async () => {
    const { harness, relay } = await relayWith({ CALLBACK_HMAC_SECRETS: SECRET }, true);
    const id = harness.provider.paid();
    const body = JSON.stringify({ data: { id } });
    expect((await relay.callback(body)).status).toBe(400);

    expect(await harness.query("select verdict, invoice_ids::text[] as ids from callback")).toEqual([
      { verdict: "refused", ids: [id] },
    ]);
    // In the callback's own commit (G13).
    expect(await harness.query(REFUSED)).toEqual([
      { name: "callback_refused", source: "default", subject: "header_missing" },
    ]);
    const metrics = await (await fetch(`${relay.url}/metrics`)).text();
    expect(metrics).toContain(
      'invoice_relay_callbacks_refused_total{source="default",check="header_missing"} 1',
    );

    // The same callback, signed, becomes an event: the refused one stood in nobody's way.
    const headers = { "x-signature": createHmac("sha256", SECRET).update(body).digest("hex") };
    expect((await relay.callback(body, { headers })).status).toBe(200);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    expect(harness.provider.requests).toEqual([`/api/v1/invoices/${id}`]);
  });

  // What strips it is a CDN, and what makes it wrong another secret: two things to look at.
  it.each([
    ["hmac", { CALLBACK_HMAC_SECRETS: SECRET, CALLBACK_HMAC_HEADER: "X-Hub" }, "x-hub"],
    ["header_token", { CALLBACK_HEADER_TOKENS: SECRET, CALLBACK_HEADER_NAME: "X-Hub" }, "x-hub"],
    ["standard_webhook", { CALLBACK_WEBHOOK_SECRETS: WEBHOOK_SECRET }, "webhook-signature"],
  ])("tells a header that is missing from one that is wrong: %s", async (check, changes, header) => {
    const { harness, send } = await relayWith(changes);
    await send("{}", {});
    await send("{}", { [header]: "" });
    await send("{}", { [header]: "wrong" });
    expect(await harness.query("select failed_check from callback order by received_at")).toMatchObject([
      { failed_check: "header_missing" },
      { failed_check: "header_missing" },
      { failed_check: check },
    ]);
    const [missing] = await harness.query("select detail from alarm where subject = 'header_missing'");
    expect(missing?.detail).toContain(header);
    expect(await harness.query(`${REFUSED} and subject = '${check}'`)).toHaveLength(1);
  });

  it("does not call anyone for a payer's browser, which signs nothing, and shows it its page", async () => {
    const { harness, relay } = await relayWith({ CALLBACK_HMAC_SECRETS: SECRET });
    const answer = await fetch(`${relay.url}/callbacks/${TOKEN}?invoiceId=${randomUUID()}`, {
      headers: { accept: "text/html" },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(await harness.query("select verdict from callback")).toEqual([{ verdict: "refused" }]);
    expect(await harness.query("select from confirmation")).toEqual([]);
    // A machine's refused callback afterwards is the first to raise the alarm.
    await relay.callback("{}");
    await vi.waitFor(async () =>
      expect(await harness.query("select times from alarm")).toEqual([{ times: 1 }]),
    );
  });
});

describe("wrong tokens", () => {
  it("get 404, and nothing of them is recorded but their number", async () => {
    const { harness, relay } = await relayWith({});
    for (let n = 0; n < 3; n += 1)
      expect((await relay.callback("{}", { path: `/callbacks/wrong-${n}` })).status).toBe(404);
    expect(await harness.query("select from callback")).toEqual([]);
    const metrics = await (await fetch(`${relay.url}/metrics`)).text();
    expect(metrics).toContain('invoice_relay_callbacks_total{status="404"} 3');
  });

  it("tell nothing about the right one: a part of it, another case, or more than it is as wrong as any", async () => {
    const { relay } = await relayWith({});
    const near = [TOKEN.slice(0, -1), TOKEN.toUpperCase(), `${TOKEN}a`, ` ${TOKEN}`, `${TOKEN}%00`, ""];
    const texts = new Set<string>();
    for (const token of near) {
      const answer = await fetch(`${relay.url}/callbacks/${token}`, { method: "POST" });
      expect(answer.status, token).toBe(404);
      texts.add(await answer.text());
    }
    expect(texts.size).toBe(1);
  });
});

describe("what answers a recorded callback", () => {
  it.each([
    ["201", '{"success":true}', "application/json"],
    ["200", "OK", "text/plain; charset=utf-8"],
    ["204", undefined, null],
  ])("is exactly the configured status %s and body %s", async (status, body, type) => {
    const { relay } = await relayWith({
      CALLBACK_ACK_STATUS: status,
      ...(body === undefined ? {} : { CALLBACK_ACK_BODY: body }),
    });
    const answer = await relay.callback({});
    expect(answer.status).toBe(Number(status));
    expect(await answer.text()).toBe(body ?? "");
    expect(answer.headers.get("content-type")).toBe(type);
  });
});

describe("a callback that names no invoice", () => {
  it("brings the next sweep forward, once a minute however many come", async () => {
    const { harness, relay } = await relayWith({});
    const heard: string[] = [];
    const listener = await openSession(harness.databaseUrl);
    listener.on("notification", ({ payload = "" }) => void heard.push(payload.split(" ")[1] ?? ""));
    await listener.query("listen invoice_relay");
    for (let n = 0; n < 5; n += 1) await relay.callback({ status: "Paid", n });
    await relay.callback({ event: "ping" });
    await relay.callback({ data: { id: randomUUID() } });
    await vi.waitFor(() => expect(heard).toContain("confirm"));
    expect(heard.filter((work) => work === "reconcile")).toHaveLength(1);
  });
});
