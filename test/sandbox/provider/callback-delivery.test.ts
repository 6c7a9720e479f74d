import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runOn } from "../../support/postgres-server.ts";
import { type Receiver, startReceiver, startTestService, type TestService } from "./service-fixture.ts";

describe("the callback of a payment", () => {
  let service: TestService;
  const receivers: Receiver[] = [];
  beforeEach(async () => {
    service = await startTestService({ delivery: { retryDelaysMs: [10, 20], timeoutMs: 5_000 } });
  });
  afterEach(async () => {
    await service.close();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  const receiverThat = async (...answer: Parameters<typeof startReceiver>) => {
    const receiver = await startReceiver(...answer);
    receivers.push(receiver);
    return receiver;
  };
  const payFor = async (callBackUrl: string) => {
    const id = await service.create({ callBackUrl });
    await service.control("POST", `/invoices/${id}/pay`);
    return id;
  };
  const deliveries = async (id: string) =>
    (await service.control("GET", `/deliveries?invoiceId=${id}`)).body.deliveries;
  const states = async (id: string) => (await deliveries(id)).map((one: { state: string }) => one.state);

  it("is tried again after a failure, with the same ids, and logged attempt by attempt", async () => {
    const receiver = await receiverThat((nth) => ({ status: nth === 1 ? 503 : 204 }));
    const id = await payFor(receiver.url);
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect(receiver.received).toHaveLength(2);
    const [first, second] = receiver.received;
    expect(second?.headers["x-webhook-id"]).toBe(first?.headers["x-webhook-id"]);
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(await deliveries(id)).toMatchObject([
      {
        invoiceId: id,
        copy: 0,
        url: receiver.url,
        variant: "documented",
        attempts: [
          { attempt: 1, answerStatus: 503, error: null },
          { attempt: 2, answerStatus: 204, error: null },
        ],
      },
    ]);
  });

  it("is given up after the last retry, visibly", async () => {
    const receiver = await receiverThat(() => ({ status: 500 }));
    const id = await payFor(receiver.url);
    await expect.poll(() => states(id)).toEqual(["given_up"]);
    expect(receiver.received).toHaveLength(3);
  });

  it("survives a restart: what was queued is delivered by the next process", async () => {
    const receiver = await receiverThat();
    await service.control("PUT", "/faults", { callback: { delayMs: 400 } });
    const id = await payFor(receiver.url);
    await service.restart();
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect(receiver.received).toHaveLength(1);
  });

  it("of a process that died while it was under way comes due again", async () => {
    const receiver = await receiverThat();
    await service.control("PUT", "/faults", { callback: { delayMs: 3_600_000 } });
    const id = await payFor(receiver.url);
    // What a dead process leaves: an attempt that was taken, and a lease that ran out.
    const left = "update collection_service.delivery set attempt = 1, due_at = now() - interval '1 s'";
    await runOn(service.database.url, left);
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect((await deliveries(id))[0].attempts).toMatchObject([{ attempt: 2 }]);
  });
});
