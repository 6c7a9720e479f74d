import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { TOKEN } from "../../support/relay.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack as stackOf } from "./lambda-stack.ts";
import { gatewayEvent } from "./payloads.ts";

const bundles = useBundles();
const lambdaStack = () => stackOf(bundles);

interface Answer {
  statusCode: number;
  body: string;
  headers: Record<string, string>;
}

const path = `/callbacks/${TOKEN}`;
const paid = (id: string) => JSON.stringify({ id: randomUUID(), event: "payment.successful", data: { id } });

describe("the function receive", () => {
  it("records a callback and its confirmation, wakes confirm, and only then answers (G1)", async () => {
    const stack = await lambdaStack();
    const receive = stack.container("receive", { CALLBACK_ACK_STATUS: "202", CALLBACK_ACK_BODY: "taken" });
    const id = randomUUID();

    const answer = await receive.invoke<Answer>(gatewayEvent({ path: `${path}/order-7`, body: paid(id) }));

    expect(answer).toMatchObject({ statusCode: 202, body: "taken" });
    const [callback] = await stack.query("select path, reference, remote_address, headers from callback");
    expect(callback).toMatchObject({
      path: "/callbacks/***/order-7",
      reference: "order-7",
      remote_address: "203.0.113.7",
    });
    expect(callback?.headers).toContainEqual(["x-webhook-id", "1b0f1f3e-6b1c-4b0e-8a51-1c0d5e1f2a3b"]);
    expect(await stack.query("select invoice_id, state from confirmation")).toEqual([
      { invoice_id: id, state: "due" },
    ]);
    expect(stack.confirmQueue.bodies()).toHaveLength(1);
  });

  it("keeps the bytes of the wire, handed over as Base64, and a query as it stood in the address", async () => {
    const stack = await lambdaStack();
    const receive = stack.container("receive");
    const [zipped, asked] = [randomUUID(), randomUUID()];
    const bytes = gzipSync(paid(zipped));
    const query = `invoiceId=${asked}&note=a%20b+c&note=d`;
    const headers = { "content-encoding": "gzip" };
    for (const event of [
      gatewayEvent({ path, headers, body: bytes.toString("base64"), isBase64Encoded: true }),
      gatewayEvent({ method: "GET", path, query }),
    ])
      expect(await receive.invoke<Answer>(event)).toMatchObject({ statusCode: 200 });

    expect(
      await stack.query("select method, query, body, invoice_ids from callback order by received_at"),
    ).toMatchObject([
      { method: "POST", body: bytes, invoice_ids: [zipped] },
      { method: "GET", query, invoice_ids: [asked] },
    ]);
  });

  it("answers as ever when the wake-up cannot be sent", async () => {
    const stack = await lambdaStack();
    const receive = stack.container("receive");
    stack.confirmQueue.failSends(5);

    const answer = await receive.invoke<Answer>(gatewayEvent({ path, body: paid(randomUUID()) }));

    expect(answer.statusCode).toBe(200);
    expect(await stack.query("select state from confirmation")).toEqual([{ state: "due" }]);
    expect(receive.lines).toContainEqual(expect.objectContaining({ level: "warn" }));
  });

  it("takes one connection to the database, however many requests come", async () => {
    const stack = await lambdaStack();
    const receive = stack.container("receive");
    for (let request = 0; request < 5; request += 1)
      await receive.invoke<Answer>(gatewayEvent({ path, body: paid(randomUUID()) }));

    expect(
      await stack.query(
        `select count(*) as connections from pg_stat_activity
          where application_name = 'invoice-relay invoice-relay-test' and datname = current_database()`,
      ),
    ).toEqual([{ connections: "1" }]);
  });
});
