import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runOn } from "../../support/postgres-server.ts";
import {
  type Received,
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

const HOUR_MS = 3_600_000;

describe("faults of callbacks on request", () => {
  let service: TestService;
  let receiver: Receiver;
  beforeAll(async () => {
    [service, receiver] = await Promise.all([startTestService(), startReceiver()]);
  });
  afterEach(async () => {
    await service.control("DELETE", "/faults");
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  const set = async (callback: Record<string, unknown>) => {
    const reply = await service.control("PUT", "/faults", { callback });
    expect(reply.status, reply.text).toBe(200);
  };
  const payOne = async () => {
    const id = await service.create({ callBackUrl: receiver.url });
    await service.control("POST", `/invoices/${id}/pay`);
    return id;
  };
  const received = async (count: number): Promise<Received[]> => {
    await expect.poll(() => receiver.received.length).toBe(count);
    return receiver.received;
  };
  const log = async (id: string) =>
    (await service.control("GET", `/deliveries?invoiceId=${id}`)).body.deliveries;
  /** The payment, hidden for an hour, becomes readable now. */
  const anHourPasses = async (id: string) => {
    const rows = await runOn(
      service.database.url,
      `update collection_service.invoice set readable_at = now()
        where id = '${id}' and readable_at = paid_at + interval '1 hour' returning id`,
    );
    expect(rows).toEqual([{ id }]);
  };
  const shown = (id: string) => service.api("GET", `/api/v1/invoices/${id}`);

  it("doubled: the same notification, so many times", async () => {
    await set({ copies: 3 });
    const id = await payOne();
    const bodies = (await received(3)).map((callback) => JSON.parse(String(callback.body)));
    expect(new Set(bodies.map((body) => body.id)).size).toBe(1);
    expect(bodies.map((body) => body.data.id)).toEqual([id, id, id]);
  });

  it("never: it is logged as withheld, and nothing arrives", async () => {
    await set({ never: true });
    const withheld = await payOne();
    await service.control("DELETE", "/faults");
    await payOne();
    await received(1);
    expect(await log(withheld)).toMatchObject([{ state: "withheld", attempts: [] }]);
    expect((await shown(withheld)).body.data.status).toBe("Paid");
  });

  it("before the payment is readable: the API still says Unpaid, everywhere, and later Paid", async () => {
    await set({ paymentReadableAfterMs: HOUR_MS });
    const id = await payOne();
    await received(1);
    const early = (await shown(id)).body.data;
    expect(early).toMatchObject({ status: "Unpaid", paymentDate: null, paymentMethod: null });
    expect(early.dateModified).toBe(early.dateCreated);
    const unpaid = await service.api(
      "GET",
      `/api/v1/collections/c0113c70-0000-4000-8000-000000000001/invoices?search=${id}`,
    );
    expect(unpaid.body.data.items).toMatchObject([{ id, status: "Unpaid", datePaid: null }]);
    expect((await service.control("POST", `/invoices/${id}/pay`)).status).toBe(412);
    await anHourPasses(id);
    expect((await shown(id)).body.data.status).toBe("Paid");
  });

  it("before the payment is readable, as an invoice that does not exist", async () => {
    await set({ paymentReadableAfterMs: HOUR_MS, paymentHiddenAs: "missing" });
    const id = await payOne();
    await received(1);
    const early = await shown(id);
    expect([early.status, early.body.message]).toEqual([404, "Invoice with the given Id does not exist"]);
    await anHourPasses(id);
    expect((await shown(id)).status).toBe(200);
  });

  // Part C of the interface, typed by hand: method, path, what a header says, and the body on the wire.
  it.each<[string, string, RegExp?, object?]>([
    ["bare", "POST", /^\{"id":"ID","status":"Paid"\}$/],
    ["envelope", "POST", /^\{"status":"success","data":\{"id":"ID","invoiceStatus":"Paid"\}\}$/],
    ["form", "POST", /^id=ID$/, { "content-type": "application/x-www-form-urlencoded" }],
    ["form-json", "POST", /^data=%7B%22id%22%3A%22ID%22/],
    ["redirect", "GET ?invoiceId=ID&status=Paid", /^$/],
    ["redirect-bare", "GET", /^$/],
    ["events", "POST", /^\{"events":\[\{"data":\{"id":"ID"\}\}\]\}$/],
    ["array", "POST", /^\[\{.*"data":\{"id":"ID"/],
    ["other-casing", "POST", /^\{"Event":"payment.successful",.*"Data":\{"Id":"ID"/i],
    ["text-plain", "POST", /"data":\{"id":"ID"/, { "content-type": "text/plain" }],
    ["no-content-type", "POST", /"data":\{"id":"ID"/, { "content-type": undefined }],
    ["gzip", "POST", /"data":\{"id":"ID"/, { "content-encoding": "gzip" }],
    ["empty", "POST", /^$/],
    ["head", "HEAD"],
    ["ping", "POST", /^\{"event":"ping"\}$/],
    [
      "strings",
      "POST",
      /^(?=.*"id":"ID")(?=.*"totalAmount":"1524.70")(?=.*"paymentDate":"")(?=.*"dateCreated":"[-\d]+T[\d:.]+")/,
    ],
    ["unknown-event", "POST", /"event":"invoice.expired".*"data":\{"id":"ID"/],
  ])("in the shape %s", async (variant, request, body = /^/, headers = {}) => {
    await set({ variants: [variant] });
    const id = await payOne();
    const [callback] = await received(1);
    if (callback === undefined) throw new Error("no callback");
    const isGzip = callback.headers["content-encoding"] === "gzip";
    const text = String(isGzip ? gunzipSync(callback.body) : callback.body);
    const [method, query = ""] = request.split(" ");
    expect([callback.method, callback.url]).toEqual([
      method,
      `/callbacks/merchant${query.replace("ID", id)}`,
    ]);
    expect(text.replaceAll(new RegExp(id, "gi"), "ID")).toMatch(body);
    for (const [name, value] of Object.entries(headers)) expect(callback.headers[name]).toBe(value);
    expect(callback.headers["x-webhook-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});
