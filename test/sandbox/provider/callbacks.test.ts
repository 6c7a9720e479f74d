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
  afterEach(() => {
    receiver.received.length = 0;
  });

  const payOne = async (payment = {}) => {
    const id = await service.create({ callBackUrl: receiver.url });
    await service.control("POST", `/invoices/${id}/pay`, payment);
    return id;
  };
  const received = async (count: number): Promise<Received[]> => {
    await expect.poll(() => receiver.received.length).toBe(count);
    return receiver.received;
  };
  const log = async (id: string) =>
    (await service.control("GET", "/deliveries")).body.deliveries.filter(
      (one: { invoice_id: string }) => one.invoice_id === id,
    );
  const states = async (id: string) => (await log(id)).map((one: { state: string }) => one.state);
  const sql = (statement: string) => runOn(service.database.url, statement);
  /** The payment, hidden for an hour, becomes readable now. */
  const anHourPasses = (id: string) =>
    sql(`update collection_service.invoice set readable_at = now() where id = '${id}'`);
  const shown = (id: string) => service.api("GET", `/api/v1/invoices/${id}`);

  it("is tried again after a failure, with the same ids, and logged", async () => {
    statuses.push(503, 204);
    const id = await payOne();
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    const [first, second] = await received(2);
    expect(second?.headers["x-webhook-id"]).toBe(first?.headers["x-webhook-id"]);
    expect(second?.body).toEqual(first?.body);
    expect(await log(id)).toMatchObject([{ url: receiver.url, attempt: 2, answer_status: 204, error: null }]);
  });

  it("is given up after the last retry, visibly", async () => {
    statuses.push(500, 500, 500);
    const id = await payOne();
    await expect.poll(() => states(id)).toEqual(["given_up"]);
    await received(3);
  });

  it("of a process that died while it was under way is delivered by the next", async () => {
    const id = await payOne();
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    // A dead process leaves an attempt that was taken, and a lease that ran out.
    await sql(
      `update collection_service.delivery set state = 'due', due_at = now() - interval '1 s'
       where invoice_id = '${id}'`,
    );
    await service.restart();
    await received(2);
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect((await log(id))[0].attempt).toBe(2);
  });

  it("comes so many times as it is told to: the same notification", async () => {
    const id = await payOne({ copies: 3 });
    const bodies = (await received(3)).map((callback) => JSON.parse(String(callback.body)));
    expect(new Set(bodies.map((body) => body.id)).size).toBe(1);
    expect(bodies.map((body) => body.data.id)).toEqual([id, id, id]);
    const never = await payOne({ copies: 0 });
    expect([await log(never), (await shown(never)).body.data.status]).toEqual([[], "Paid"]);
  });

  it("before the payment is readable: the API still says Unpaid, everywhere, and later Paid", async () => {
    const id = await payOne({ readableAfterMs: HOUR_MS });
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
});
