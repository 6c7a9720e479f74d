import { createHmac, randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { ownRelay, TOKEN } from "../../support/relay.ts";

const SECRET = "a-secret-for-signatures-0123456789";

async function relayWith(changes: Record<string, string> = {}, workers = false) {
  const { harness, relay } = await ownRelay(changes, { http: true, workers });
  const metrics = async () => (await fetch(`${relay.url}/metrics`)).text();
  return { harness, relay, metrics };
}

describe("the caller's address", () => {
  it.each<[string, Record<string, string>, [forwarded: string, status: number, address: string][]]>([
    [
      "is what a trusted proxy names last, with or without its port, and none that a sender adds",
      { TRUSTED_PROXIES: "loopback" },
      [
        ["203.0.113.7", 200, "203.0.113.7"],
        ["::ffff:cb00:7107", 200, "203.0.113.7"],
        ["203.0.113.7:51234, 127.0.0.1:80", 200, "203.0.113.7"],
        ["[2001:db8::1]:443", 200, "2001:db8::1"],
        ["198.51.100.1", 400, "198.51.100.1"],
        ["203.0.113.7, 198.51.100.1", 400, "198.51.100.1"],
        ["no address", 400, "127.0.0.1"],
      ],
    ],
    ["is the connection's where no proxy is trusted", {}, [["203.0.113.7", 400, "127.0.0.1"]]],
  ])("%s", async (_what, changes, callers) => {
    const { harness, relay } = await relayWith({
      CALLBACK_ALLOWED_ADDRESSES: "203.0.113.0/24,2001:db8::/32",
      ...changes,
    });
    for (const [forwarded, status] of callers) {
      const answer = await relay.callback({}, { headers: { "x-forwarded-for": forwarded } });
      expect(answer.status, forwarded).toBe(status);
    }
    const rows = await harness.query("select remote_address from callback order by received_at, id");
    expect(rows.map((row) => row.remote_address)).toEqual(callers.map(([, , address]) => address));
  });
});

describe("a callback that fails a check", () => {
  it("is recorded as refused with its ids, asks nothing (G3), is alarmed and counted", async () => {
    const { harness, relay, metrics } = await relayWith({ CALLBACK_HMAC_SECRETS: SECRET }, true);
    const id = harness.provider.paid();
    const body = JSON.stringify({ data: { id } });
    expect((await relay.callback(body)).status).toBe(400);
    expect(
      await harness.query("select verdict, failed_check, invoice_ids::text[] as ids from callback"),
    ).toEqual([{ verdict: "refused", failed_check: "header_missing", ids: [id] }]);
    // In the callback's own commit (G13).
    const [alarm] = await harness.query("select * from alarm where cleared_at is null");
    expect(alarm).toMatchObject({ name: "callback_refused", source: "default", subject: "header_missing" });
    expect(alarm?.detail).toContain("x-signature");
    expect(await metrics()).toContain(
      'invoice_relay_callbacks_refused_total{source="default",check="header_missing"} 1',
    );

    // The same callback, signed, becomes an event: the refused one stood in nobody's way.
    const headers = { "x-signature": createHmac("sha256", SECRET).update(body).digest("hex") };
    expect((await relay.callback(body, { headers })).status).toBe(200);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    expect(harness.provider.requests).toEqual([`/api/v1/invoices/${id}`]);
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
    expect(await harness.query("select from alarm")).toEqual([]);
  });
});

it("a wrong token gets 404 and tells nothing of the right one; only its number is recorded", async () => {
  const { harness, relay, metrics } = await relayWith();
  const near = [TOKEN.slice(0, -1), `${TOKEN}%00`, ""];
  const texts = new Set<string>();
  for (const token of near) {
    const answer = await fetch(`${relay.url}/callbacks/${token}`, { method: "POST" });
    expect(answer.status, token).toBe(404);
    texts.add(await answer.text());
  }
  expect(texts.size).toBe(1);
  expect(await harness.query("select from callback")).toEqual([]);
  expect(await metrics()).toContain(`invoice_relay_callbacks_total{status="404"} ${near.length}`);
});

it.each<[{ CALLBACK_ACK_STATUS: string; CALLBACK_ACK_BODY?: string }, string | null]>([
  [{ CALLBACK_ACK_STATUS: "201", CALLBACK_ACK_BODY: '{"success":true}' }, "application/json"],
  [{ CALLBACK_ACK_STATUS: "200", CALLBACK_ACK_BODY: "OK" }, "text/plain; charset=utf-8"],
  [{ CALLBACK_ACK_STATUS: "204" }, null],
])("a recorded callback is answered exactly as configured: %j", async (settings, type) => {
  const { relay } = await relayWith(settings);
  const answer = await relay.callback({});
  expect(answer.status).toBe(Number(settings.CALLBACK_ACK_STATUS));
  expect(await answer.text()).toBe(settings.CALLBACK_ACK_BODY ?? "");
  expect(answer.headers.get("content-type")).toBe(type);
});
