import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Received } from "../../support/own-server.ts";
import { runOn } from "../../support/postgres-server.ts";
import { OPEN_AMOUNT, startReceiver, startTestService } from "./service-fixture.ts";

const HOUR_MS = 3_600_000;

const service = await startTestService({ delivery: { retryDelaysMs: [10, 20], timeoutMs: 5_000 } });
afterAll(service.close);
/** What the receiver answers, one by one; then 200. */
const statuses: number[] = [];
const receiver = await startReceiver(() => statuses.shift() ?? 200);
afterAll(receiver.close);

describe("the callback of a payment", () => {
  afterEach(async () => {
    await service.control("DELETE", "/faults");
    receiver.received.length = 0;
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
  const states = async (id: string) => (await log(id)).map((one: { state: string }) => one.state);
  const sql = (statement: string) => runOn(service.database.url, statement);
  /** The payment, hidden for an hour, becomes readable now. */
  const anHourPasses = (id: string) =>
    sql(`update collection_service.invoice set readable_at = now() where id = '${id}'`);
  const shown = (id: string) => service.api("GET", `/api/v1/invoices/${id}`);

  it("is tried again after a failure, with the same ids, and logged attempt by attempt", async () => {
    statuses.push(503, 204);
    const id = await payOne();
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    const [first, second] = await received(2);
    expect(second?.headers["x-webhook-id"]).toBe(first?.headers["x-webhook-id"]);
    expect(second?.body).toEqual(first?.body);
    expect(await log(id)).toMatchObject([
      {
        ...{ invoiceId: id, copy: 0, url: receiver.url, variant: "documented" },
        attempts: [
          { attempt: 1, answerStatus: 503, error: null },
          { attempt: 2, answerStatus: 204, error: null },
        ],
      },
    ]);
  });

  it("is given up after the last retry, visibly", async () => {
    statuses.push(500, 500, 500);
    const id = await payOne();
    await expect.poll(() => states(id)).toEqual(["given_up"]);
    await received(3);
  });

  it("of a process that died while it was under way is delivered by the next", async () => {
    await set({ delayMs: HOUR_MS });
    const id = await payOne();
    await service.restart();
    // What a dead process leaves: an attempt that was taken, and a lease that ran out.
    await sql("update collection_service.delivery set attempt = 1, due_at = now() - interval '1 s'");
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect((await log(id))[0].attempts).toMatchObject([{ attempt: 2 }]);
  });

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
    const listed = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?search=${id}`);
    expect(listed.body.data.items).toMatchObject([{ id, status: "Unpaid", datePaid: null }]);
    expect((await service.control("POST", `/invoices/${id}/pay`)).status).toBe(412);
    await anHourPasses(id);
    expect((await shown(id)).body.data.status).toBe("Paid");
  });

  it("before the payment is readable, as an invoice that does not exist", async () => {
    await set({ paymentReadableAfterMs: HOUR_MS, paymentHiddenAs: "missing" });
    const id = await payOne();
    await received(1);
    expect((await shown(id)).status).toBe(404);
    await anHourPasses(id);
    expect((await shown(id)).status).toBe(200);
  });

  // Part C of the interface, typed by hand: method, query, the body on the wire, and what a header says.
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
    ["empty", "POST", /^$/],
    ["head", "HEAD"],
    ["ping", "POST", /^\{"event":"ping"\}$/],
    ["strings", "POST", /^(?=.*"id":"ID")(?=.*"totalAmount":"1524.70")(?=.*"paymentDate":"")/],
    ["unknown-event", "POST", /"event":"invoice.expired".*"data":\{"id":"ID"/],
  ])("in the shape %s", async (variant, request, body = /^/, headers = {}) => {
    await set({ variants: [variant] });
    const id = await payOne();
    const [callback] = (await received(1)) as [Received];
    const text = String(callback.body);
    const [method, query = ""] = request.replace("ID", id).split(" ");
    expect([callback.method, callback.url]).toEqual([method, `/callbacks/merchant${query}`]);
    expect(text.replaceAll(new RegExp(id, "gi"), "ID")).toMatch(body);
    for (const [name, value] of Object.entries(headers)) expect(callback.headers[name]).toBe(value);
  });
});
