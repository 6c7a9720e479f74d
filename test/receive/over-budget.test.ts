import { createHash, createHmac, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const from = (address: string) => ({
  headers: { "content-type": "application/json", "x-forwarded-for": address },
});

async function relayWith(changes: Record<string, string>, workers = false) {
  const around = await surroundings();
  const environment = around.environment({ TRUSTED_PROXIES: "loopback", ...changes });
  return { around, relay: await startRelay(environment, { http: true, workers }) };
}

describe("a callback over budget (G12)", () => {
  it("is taken all the same: its ids are asked for, only its body is cut, marked and counted", async () => {
    const { around, relay } = await relayWith({ CALLBACKS_PER_HOUR: "2" }, true);
    const [id = "", ...flood] = Array.from({ length: 3 }, () => randomUUID());
    around.provider.invoice(id, invoiceAnswer(id));
    for (const other of flood) await relay.callback({ id: other }, from("203.0.113.1"));

    const body = JSON.stringify({ data: { id }, filling: "x".repeat(100_000) });
    const answer = await relay.callback(body, from("203.0.113.1"));

    expect(answer.status).toBe(200);
    await vi.waitFor(() => expect(around.sns.messages(around.topicArn)).toHaveLength(1));
    const rows = await around.query("select body, cut from callback where cut is not null");
    expect(rows).toEqual([
      {
        body: Buffer.from(body.slice(0, 4_096)),
        cut: {
          overBudget: "address_callbacks",
          body: { bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") },
          unread: [],
        },
      },
    ]);
    const metrics = await (await fetch(`${relay.url}/metrics`)).text();
    expect(metrics).toContain(
      'invoice_relay_callbacks_cut_total{source="default",what="address_callbacks"} 1',
    );
  });

  it("is alarmed once for as long as it lasts, by whichever process, and that ends by itself", async () => {
    const { around, relay } = await relayWith({ CALLBACKS_PER_HOUR: "1" });
    const other = await startRelay(
      around.environment({ TRUSTED_PROXIES: "loopback", CALLBACKS_PER_HOUR: "1" }),
    );
    const told = () =>
      [...relay.lines, ...other.lines].filter(({ alarm }) => alarm === "callbacks_over_budget").length;
    const alarms = () =>
      around.query(
        "select name, source, subject, cleared_at is null as open from alarm where name = 'callbacks_over_budget'",
      );
    for (const process of [relay, other])
      for (let n = 0; n < 3; n += 1) await process.callback({ id: randomUUID() }, from("203.0.113.1"));
    const alarm = { name: "callbacks_over_budget", source: "default", subject: "address_callbacks" };
    // In the callback's own commit (G13), and a flood does not wait for the alarm's row.
    expect(await alarms()).toEqual([{ ...alarm, open: true }]);
    expect(await around.query("select from alarm where times > 1")).toEqual([]);
    await around.query("update alarm set last_raised_at = now() - interval '11 seconds'");
    await other.callback({ id: randomUUID() }, from("203.0.113.1"));
    expect(
      await around.query("select from alarm where last_raised_at > now() - interval '5 s'"),
    ).toHaveLength(1);
    expect(told()).toBe(1);

    await around.query("update alarm set last_raised_at = now() - interval '11 minutes'");
    await vi.waitFor(async () => expect(await alarms()).toEqual([{ ...alarm, open: false }]));
    expect(other.lines).toContainEqual(expect.objectContaining({ alarmCleared: "callbacks_over_budget" }));
  });

  it("as small as honest ones are is kept whole, and marked", async () => {
    const { around, relay } = await relayWith({ CALLBACK_IDS_PER_HOUR: "1" });
    const bodies = [randomUUID(), randomUUID()].map((id) => JSON.stringify({ data: { id } }));
    for (const body of bodies) await relay.callback(body, from("203.0.113.1"));
    const rows = await around.query<{ body: Buffer; cut: unknown }>(
      "select body, cut from callback order by cut is not null",
    );
    expect(rows.map((row) => row.body.toString())).toEqual(bodies);
    expect(rows.map((row) => row.cut)).toEqual([null, { overBudget: "address_ids", body: null, unread: [] }]);
    expect(await around.query("select from confirmation")).toHaveLength(2);
  });

  it("from a leaked token's flood leaves the provider's own callbacks whole and unmarked", async () => {
    const { around, relay } = await relayWith({ CALLBACK_MEBIBYTES_PER_HOUR: "1" });
    const large = () => JSON.stringify({ id: randomUUID(), filling: "x".repeat(200_000) });
    for (let n = 0; n < 12; n += 1) await relay.callback(large(), from("198.51.100.66"));
    const genuine = large();
    expect((await relay.callback(genuine, from("203.0.113.1"))).status).toBe(200);
    const rows = await around.query(
      `select remote_address, cut is null as whole, sum(octet_length(body))::int as bytes from callback
        group by 1, 2 order by 1, 2`,
    );
    expect(rows).toEqual([
      { remote_address: "198.51.100.66", whole: false, bytes: 7 * 4_096 },
      { remote_address: "198.51.100.66", whole: true, bytes: expect.any(Number) },
      { remote_address: "203.0.113.1", whole: true, bytes: genuine.length },
    ]);
    expect(await around.query("select from confirmation")).toHaveLength(13);
  });

  it("of more than a hundred ids asks for the first hundred, and says so", async () => {
    const { around, relay } = await relayWith({});
    await relay.callback({ events: Array.from({ length: 150 }, () => ({ data: { id: randomUUID() } })) });
    expect(await around.query("select from confirmation")).toHaveLength(100);
    expect(await around.query("select cut from callback")).toEqual([
      { cut: { overBudget: null, body: null, unread: ["ids"] } },
    ]);
  });
});

describe("a callback that fails a check (G12)", () => {
  it("is only glanced at, and spends nothing of the token's budget", async () => {
    const secret = "a-secret-for-signatures-0123456789";
    const { around, relay } = await relayWith({
      CALLBACK_HMAC_SECRETS: secret,
      CALLBACKS_PER_HOUR: "1",
    });
    const id = randomUUID();
    const forged = gzipSync(JSON.stringify({ data: { id } }));
    for (let n = 0; n < 10; n += 1)
      expect((await relay.callback(forged, from(`198.51.100.${n}`))).status).toBe(400);
    expect(await around.query("select distinct verdict, invoice_ids::text[] as ids from callback")).toEqual([
      { verdict: "refused", ids: [] },
    ]);
    // A bomb costs a forger's bytes and no more: it is not even found to be one.
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect((await relay.callback(bomb, from("198.51.100.1"))).status).toBe(400);

    const body = JSON.stringify({ data: { id } });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { ...from("203.0.113.1").headers, "x-signature": signature };
    expect((await relay.callback(body, { headers })).status).toBe(200);
    expect(
      await around.query("select cut from callback where verdict is null and remote_address = '203.0.113.1'"),
    ).toEqual([{ cut: null }]);
  });
});
