import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ACCOUNT_A,
  FIXED_AMOUNT,
  LIVE_KEY,
  NOBODY,
  OPEN_AMOUNT,
  SHARED,
  startReceiver,
  startTestService,
  TEST_KEY,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";

// A client that shares nothing with our schemas: what is expected is typed by hand from the interface
// document, one test a row of it.

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const UTC = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
const TEXT = expect.any(String);
const NUMBER = expect.any(Number);

/** Whatever JSON came: each test says what it expects of it. */
const jsonOf = async (response: Response) => JSON.parse(await response.text());

describe("the interface, row by row, with plain fetch", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const post = async (path: string, body?: unknown, key = LIVE_KEY) => {
    const response = await fetch(`${service.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { http: response.status, answer: await jsonOf(response) };
  };
  const get = async (path: string) => {
    const response = await fetch(`${service.url}${path}`, { headers: { "x-api-key": LIVE_KEY } });
    return { http: response.status, answer: await jsonOf(response) };
  };
  const request = {
    collectionId: OPEN_AMOUNT,
    title: "Harvest levy",
    payerName: "Chidi Eze",
    payerEmail: "chidi@example.com",
    payerPhoneNumber: "08012345678",
    billerMetaData: { member: "204", branch: "Ikeja" },
    amount: 40000,
    callBackUrl: "https://merchant.example/callbacks/a-token-that-nobody-guesses?with=query",
  };

  it("Get Collection by ID: 200, status success, data = collection", async () => {
    const { http, answer } = await get(`/api/v1/collections/${FIXED_AMOUNT}`);
    expect(http).toBe(200);
    expect(answer).toEqual({
      status: "success",
      message: TEXT,
      data: {
        id: FIXED_AMOUNT,
        collectionName: "Membership",
        description: "One fixed amount a year",
        invoiceExpirationPeriod: "TwoDays",
        paymentChannels: ["Card", "BankTransfer"],
        settlementFrequency: "Daily",
        serviceFeeBilling: "Payer",
        amount: 40000,
        dateCreated: "2024-02-12T09:00:00.000Z",
        status: "Active",
        collectionCategory: { id: UUID, name: "Clubs" },
        collectionAccounts: [
          {
            percentage: 100,
            linkedAccount: {
              id: UUID,
              accountName: "Adaeze & Sons Ltd",
              accountNumber: "0123456789",
              bank: {
                id: UUID,
                name: "Guaranty Trust Bank",
                code: "058",
                logo: expect.stringMatching(/^https:/),
              },
            },
          },
        ],
      },
    });
  });

  it("Create Invoice: 200, status 200, data = invoice with status Unpaid", async () => {
    const { http, answer } = await post("/api/v1/invoices", request);
    expect(http).toBe(200);
    expect(answer).toEqual({
      status: 200,
      message: TEXT,
      data: {
        id: UUID,
        title: "Harvest levy",
        collectionName: "School fees",
        payerName: "Chidi Eze",
        payerEmail: "chidi@example.com",
        payerPhoneNumber: "08012345678",
        billerName: "Adaeze & Sons Ltd",
        billerAddress: TEXT,
        billerEmail: "billing@adaeze.example",
        amount: 40000,
        serviceCharge: 600,
        vat: 45,
        totalAmount: 40645,
        settleableAmount: 40000,
        status: "Unpaid",
        serviceFeePayer: "Payer",
        settlementFrequency: "Instant",
        type: "Live",
        paymentUrl: expect.stringMatching(/^http:\/\//),
        dateCreated: UTC,
        dateModified: UTC,
        billerMetaData: { member: "204", branch: "Ikeja" },
        paymentDate: null,
        paymentMethod: null,
        invoiceBeneficiaries: null,
        callBackUrl: request.callBackUrl,
      },
    });
  });

  it("Create Invoice with beneficiaries: items {linkedAccountId string, amount number}", async () => {
    const invoiceBeneficiaries = [{ linkedAccountId: ACCOUNT_A, amount: 40000 }];
    const { answer } = await post("/api/v1/invoices", {
      ...request,
      collectionId: SHARED,
      invoiceBeneficiaries,
    });
    expect(answer.data.invoiceBeneficiaries).toEqual(invoiceBeneficiaries);
  });

  it("a collection's fixed amount is the invoice's; a Test key makes Test invoices", async () => {
    const { amount: _, ...withoutAmount } = request;
    const { answer } = await post(
      "/api/v1/invoices",
      { ...withoutAmount, collectionId: FIXED_AMOUNT },
      TEST_KEY,
    );
    expect(answer.data).toMatchObject({ amount: 40000, type: "Test", settlementFrequency: "Daily" });
  });

  it("Get Invoice by ID: 200, status 200, data = invoice, before and after payment", async () => {
    const created = (await post("/api/v1/invoices", request)).answer.data;
    const unpaid = await get(`/api/v1/invoices/${created.id}`);
    expect(unpaid).toEqual({ http: 200, answer: { status: 200, message: TEXT, data: created } });

    await fetch(created.paymentUrl, { method: "POST", body: new URLSearchParams({ method: "Card" }) });
    const { answer } = await get(`/api/v1/invoices/${created.id}`);
    expect(answer.data).toEqual({
      ...created,
      status: "Paid",
      paymentDate: UTC,
      paymentMethod: "Card",
      dateModified: UTC,
    });
    expect(Date.parse(answer.data.dateModified)).toBeGreaterThanOrEqual(Date.parse(created.dateModified));
  });

  it("Get Invoice by ID: an unknown id, word for word", async () => {
    const { http, answer } = await get(`/api/v1/invoices/${NOBODY}`);
    expect(http).toBe(404);
    expect(answer.message).toBe("Invoice with the given Id does not exist");
    expect(answer).toEqual({ status: 404, message: TEXT, type: TEXT, errors: [TEXT] });
  });

  it("Get Collection Invoices: 200, status success, data = page of list items", async () => {
    const created = (await post("/api/v1/invoices", { ...request, title: "Only this one" })).answer.data;
    const { http, answer } = await get(`/api/v1/collections/${OPEN_AMOUNT}/invoices?search=Only%20this`);
    expect(http).toBe(200);
    expect(answer).toEqual({
      status: "success",
      message: TEXT,
      data: {
        items: [
          {
            id: created.id,
            title: "Only this one",
            amount: 40000,
            status: "Unpaid",
            payerName: "Chidi Eze",
            payerEmail: "chidi@example.com",
            dateCreated: created.dateCreated,
            datePaid: null,
          },
        ],
        page: 1,
        pageSize: NUMBER,
        totalCount: 1,
        hasNextPage: false,
        hasPreviousPage: false,
      },
    });
  });

  it("Invalidate Invoice: 200, status success, message, no data; then it can no longer be paid", async () => {
    const created = (await post("/api/v1/invoices", request)).answer.data;
    expect(await post(`/api/v1/invoices/${created.id}/invalidate`)).toEqual({
      http: 200,
      answer: { status: "success", message: TEXT },
    });
    await fetch(created.paymentUrl, { method: "POST", body: new URLSearchParams({ method: "Card" }) });
    const { answer } = await get(`/api/v1/invoices/${created.id}`);
    expect(answer.data).toMatchObject({ status: "Invalidated", paymentDate: null, paymentMethod: null });
  });

  it("Invalidate Invoice: first whether it exists, then whether it is unpaid, word for word", async () => {
    const unknown = await post(`/api/v1/invoices/${NOBODY}/invalidate`);
    expect(unknown.http).toBe(404);
    expect(unknown.answer.message).toBe("Invoice with the given Id does not exist");

    const paid = (await post("/api/v1/invoices", request)).answer.data;
    await fetch(paid.paymentUrl, { method: "POST", body: new URLSearchParams({ method: "Card" }) });
    const invalid = (await post("/api/v1/invoices", request)).answer.data;
    await post(`/api/v1/invoices/${invalid.id}/invalidate`);
    for (const { id } of [paid, invalid]) {
      const { http, answer } = await post(`/api/v1/invoices/${id}/invalidate`);
      expect(http).toBe(412);
      expect(answer.message).toBe("The invoice has already been paid or is no longer valid");
    }
  });

  it("Add Linked Account: 201, status success, message, no data; an account only once: 400", async () => {
    const body = { linkedAccount: { bankId: 4, accountNumber: "5566778899", isPrimary: false } };
    expect(await post("/api/v1/linked-accounts", body)).toEqual({
      http: 201,
      answer: { status: "success", message: TEXT },
    });
    const again = await post("/api/v1/linked-accounts", body);
    expect(again.http).toBe(400);
    expect(again.answer).not.toHaveProperty("data");
  });

  it("Get Banks: a list of banks, each with a numeric id", async () => {
    const { http, answer } = await get("/api/v1/banks");
    expect(http).toBe(200);
    expect(answer.data).toContainEqual({ id: 3, name: "Guaranty Trust Bank", code: "058", logo: TEXT });
    expect(new Set(answer.data.map((bank: { id: unknown }) => typeof bank.id))).toEqual(new Set(["number"]));
  });

  it("the callback of part B: documented headers and body, the notification's id beside the invoice's", async () => {
    const receiver = await startReceiver();
    try {
      const created = (await post("/api/v1/invoices", { ...request, callBackUrl: receiver.url })).answer.data;
      await fetch(created.paymentUrl, {
        method: "POST",
        body: new URLSearchParams({ method: "BankTransfer" }),
      });
      await expect.poll(() => receiver.received.length).toBe(1);
      const callback = receiver.received[0];
      expect(callback?.method).toBe("POST");
      expect(callback?.headers["content-type"]).toBe("application/json");
      expect(callback?.headers["user-agent"]).toBe("Tranzakt-Payment-Platform/1.0");
      expect(callback?.headers["x-webhook-id"]).toEqual(UUID);
      const body = JSON.parse(String(callback?.body));
      expect(body).toEqual({
        id: UUID,
        event: "payment.successful",
        createdAt: UTC,
        data: expect.objectContaining({
          id: created.id,
          collectionId: OPEN_AMOUNT,
          amount: 40000,
          totalAmount: 40645,
          type: "Live",
          status: "Paid",
          paymentDate: UTC,
          billerMetaData: { member: "204", branch: "Ikeja" },
          callBackUrl: receiver.url,
        }),
      });
      expect(body.id).not.toBe(created.id);
    } finally {
      await receiver.close();
    }
  });
});
