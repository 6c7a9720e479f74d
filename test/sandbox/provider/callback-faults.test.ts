import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { reorderDelayMs } from "../../../src/sandbox/provider/pay.ts";
import { runOn } from "../../faults/world/postgres-server.ts";
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

  it("late: it leaves so much later than the payment", async () => {
    await set({ delayMs: 300 });
    const id = await payOne();
    await received(1);
    // The attempt is logged once its answer is back, which is after it was received.
    const delivery = await vi.waitFor(async () => {
      const [logged] = await log(id);
      expect(logged.attempts).toHaveLength(1);
      return logged;
    });
    const left = Date.parse(delivery.attempts[0].startedAt) - Date.parse(delivery.queuedAt);
    // Two clocks are compared, Postgres' and this process': they may differ by a few ms.
    expect(left).toBeGreaterThanOrEqual(250);
  });

  it("doubled: the same notification, so many times", async () => {
    await set({ copies: 3, copyGapMs: 20 });
    const id = await payOne();
    const bodies = (await received(3)).map((callback) => JSON.parse(String(callback.body)));
    expect(new Set(bodies.map((body) => body.id)).size).toBe(1);
    expect(bodies.map((body) => body.data.id)).toEqual([id, id, id]);
  });

  it("reordered: of two payments in one span the later one's callback leaves first", async () => {
    const span = 1_000;
    expect(reorderDelayMs({ reorderWithinMs: span }, 5_200) + 200).toBeGreaterThan(
      reorderDelayMs({ reorderWithinMs: span }, 5_700) + 700,
    );
    await set({ reorderWithinMs: 86_400_000 });
    const [first, second] = [await payOne(), await payOne()];
    const dueAt = async (id: string) => Date.parse((await log(id))[0].dueAt);
    expect(await dueAt(second)).toBeLessThan(await dueAt(first));
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

  // Part C of the interface, typed by hand: what each variant looks like on the wire.
  it.each<[string, (callback: Received, id: string) => void]>([
    ["bare", ({ body }, id) => expect(String(body)).toBe(`{"id":"${id}","status":"Paid"}`)],
    [
      "envelope",
      ({ body }, id) =>
        expect(String(body)).toBe(`{"status":"success","data":{"id":"${id}","invoiceStatus":"Paid"}}`),
    ],
    [
      "form",
      ({ headers, body }, id) => {
        expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
        expect(String(body)).toBe(`id=${id}`);
      },
    ],
    [
      "form-json",
      ({ body }, id) => expect(String(body)).toMatch(new RegExp(`^data=%7B%22id%22%3A%22${id}%22`)),
    ],
    [
      "redirect",
      ({ method, url, body }, id) => {
        expect([method, url]).toEqual(["GET", `/callbacks/merchant?invoiceId=${id}&status=Paid`]);
        expect(body).toHaveLength(0);
      },
    ],
    ["redirect-bare", ({ method, url }) => expect([method, url]).toEqual(["GET", "/callbacks/merchant"])],
    ["events", ({ body }, id) => expect(String(body)).toBe(`{"events":[{"data":{"id":"${id}"}}]}`)],
    ["array", ({ body }, id) => expect(JSON.parse(String(body))).toMatchObject([{ data: { id } }])],
    [
      "other-casing",
      ({ body }, id) =>
        expect(JSON.parse(String(body))).toMatchObject({
          Event: "payment.successful",
          Data: { Id: id.toUpperCase() },
        }),
    ],
    [
      "text-plain",
      ({ headers, body }, id) => {
        expect(headers["content-type"]).toBe("text/plain");
        expect(JSON.parse(String(body))).toMatchObject({ data: { id } });
      },
    ],
    [
      "no-content-type",
      ({ headers, body }, id) => {
        expect(headers).not.toHaveProperty("content-type");
        expect(JSON.parse(String(body))).toMatchObject({ data: { id } });
      },
    ],
    [
      "gzip",
      ({ headers, body }, id) => {
        expect(headers["content-encoding"]).toBe("gzip");
        expect(JSON.parse(String(gunzipSync(body)))).toMatchObject({ data: { id } });
      },
    ],
    ["empty", ({ method, body }) => expect([method, body.length]).toEqual(["POST", 0])],
    ["head", ({ method }) => expect(method).toBe("HEAD")],
    ["ping", ({ body }) => expect(JSON.parse(String(body))).toEqual({ event: "ping" })],
    [
      "strings",
      ({ body }, id) =>
        expect(JSON.parse(String(body))).toMatchObject({
          data: {
            id,
            totalAmount: "1524.70",
            paymentDate: "",
            dateCreated: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/),
          },
        }),
    ],
    [
      "unknown-event",
      ({ body }, id) =>
        expect(JSON.parse(String(body))).toMatchObject({ event: "invoice.expired", data: { id } }),
    ],
  ])("in the shape %s", async (variant, check) => {
    await set({ variants: [variant] });
    const id = await payOne();
    const [callback] = await received(1);
    if (callback === undefined) throw new Error("no callback");
    expect(callback.headers["x-webhook-id"]).toMatch(/^[0-9a-f-]{36}$/);
    check(callback, id);
  });

  it("in several shapes, one after the other", async () => {
    await set({ variants: ["redirect", "empty"] });
    for (const count of [1, 2, 3]) {
      await payOne();
      await received(count);
    }
    expect(receiver.received.map((callback) => callback.method)).toEqual(["GET", "POST", "GET"]);
  });
});
