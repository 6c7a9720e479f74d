import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { onceForAll } from "../../support/own-test.ts";
import { TOKEN } from "../../support/relay.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { callbackEvent, gatewayEvent } from "./payloads.ts";

const bundles = useBundles();
const path = `/callbacks/${TOKEN}`;
const paid = (id: string) => JSON.stringify({ id: randomUUID(), event: "payment.successful", data: { id } });

describe("the function receive", () => {
  const own = onceForAll(async () => {
    const stack = await lambdaStack(bundles);
    const settings = { CALLBACK_ACK_STATUS: "202", CALLBACK_ACK_BODY: "taken" };
    return { stack, receive: stack.container("receive", settings) };
  });
  const states = (id: string) =>
    own().stack.query("select state from confirmation where invoice_id = $1", [id]);

  it("records a callback and its confirmation, wakes confirm, and only then answers (G1)", async () => {
    const { stack, receive } = own();
    const id = randomUUID();
    const answer = await receive.invoke(gatewayEvent({ path: `${path}/order-7`, body: paid(id) }));
    expect(answer).toMatchObject({ statusCode: 202, body: "taken" });
    const [callback] = await stack.query("select path, reference, remote_address, headers from callback");
    expect(callback).toMatchObject({
      ...{ path: "/callbacks/***/order-7", reference: "order-7", remote_address: "203.0.113.7" },
      headers: expect.arrayContaining([["x-webhook-id", "1b0f1f3e-6b1c-4b0e-8a51-1c0d5e1f2a3b"]]),
    });
    expect(await states(id)).toEqual([{ state: "due" }]);
    expect(stack.confirmQueue.bodies()).toHaveLength(1);
  });

  it("keeps the bytes of the wire, dispatched as Base64, and a query as it stood in the address", async () => {
    const { stack, receive } = own();
    const [zipped, asked] = [randomUUID(), randomUUID()];
    const bytes = Buffer.from(paid(zipped));
    const query = `invoiceId=${asked}&note=a%20b+c&note=d`;
    for (const event of [
      gatewayEvent({ path, body: bytes.toString("base64"), isBase64Encoded: true }),
      gatewayEvent({ method: "GET", path, query }),
    ])
      expect(await receive.invoke(event)).toMatchObject({ statusCode: 202 });
    const recorded = "select method, query, body, invoice_ids from callback where invoice_ids[1] = any($1)";
    expect(await stack.query(`${recorded} order by received_at`, [[zipped, asked]])).toMatchObject([
      { method: "POST", body: bytes, invoice_ids: [zipped] },
      { method: "GET", query, invoice_ids: [asked] },
    ]);
  });

  it("answers as ever when the wake-up cannot be sent, and takes one connection however many requests come", async () => {
    const { stack, receive } = own();
    stack.confirmQueue.failSends(5);
    const id = randomUUID();
    for (const named of [id, randomUUID(), randomUUID()])
      expect(await receive.invoke(callbackEvent(named))).toMatchObject({ statusCode: 202 });
    expect(await states(id)).toEqual([{ state: "due" }]);
    expect(receive.lines).toContainEqual(expect.objectContaining({ level: "warn" }));
    const connections = await stack.query(
      `select from pg_stat_activity
        where application_name = 'invoice-relay invoice-relay-test' and datname = current_database()`,
    );
    expect(connections).toHaveLength(1);
  });
});
