import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver, startTestService, type TestService } from "./service-fixture.ts";

describe("the callback of a payment", () => {
  let service: TestService;
  let receiver: Receiver;
  beforeEach(async () => {
    service = await startTestService({ delivery: { retryDelaysMs: [10, 20], timeoutMs: 2_000 } });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  it("has the documented method, headers and body", async () => {
    const id = await service.create({ callBackUrl: receiver.url });
    await service.control("POST", `/invoices/${id}/pay`);
    await expect.poll(() => receiver.received.length).toBe(1);

    const [callback] = receiver.received;
    expect(callback?.method).toBe("POST");
    expect(callback?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Tranzakt-Payment-Platform/1.0",
      "x-webhook-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const body = JSON.parse(String(callback?.body));
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: "payment.successful",
      createdAt: expect.stringMatching(/Z$/),
      data: {
        id,
        collectionId: "c0113c70-0000-4000-8000-000000000001",
        amount: 1500.5,
        totalAmount: 1524.7,
        type: "Live",
        status: "Paid",
        billerMetaData: { student: "17" },
        callBackUrl: receiver.url,
      },
    });
    expect(body.id).not.toBe(id);
    expect(Date.parse(body.data.paymentDate)).toBeGreaterThan(0);
  });
});
