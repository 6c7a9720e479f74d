import { expect } from "vitest";
import { DISABLED, LIVE_KEY, NOBODY, TEST_KEY } from "../../sandbox/provider/service-fixture.ts";
import type { SpecifiedEnvironment } from "./environment.ts";
import { type Checks, checks, fields, is, isoUtc, list, mapOfText, number, text, uuid } from "./rules.ts";

const listed = async (environment: SpecifiedEnvironment, query: string): Promise<string[]> => {
  const reply = await environment.list(query);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data.items.map((item: { id: string }) => item.id);
};

export const filters = checks({
  "Get Collection Invoices: every filter is optional": async (w) =>
    expect(await listed(w, "")).toContain(w.paidId),
  "Get Collection Invoices: invoiceStatus": async (w) =>
    expect(await listed(w, "invoiceStatus=Paid")).toEqual([w.paidId]),
  "Get Collection Invoices: search": async (w) =>
    expect(await listed(w, "search=Second")).toEqual([w.unpaidId]),
  "Get Collection Invoices: startDate (YYYY-MM-DD)": async (w) => {
    expect(await listed(w, "startDate=2000-01-01")).toContain(w.paidId);
    expect(await listed(w, "startDate=2199-01-01")).toEqual([]);
  },
  "Get Collection Invoices: endDate (YYYY-MM-DD)": async (w) =>
    expect(await listed(w, "endDate=2000-01-01")).toEqual([]),
  "Get Collection Invoices: dates of another form are refused": async (w) =>
    expect((await w.list("startDate=01.02.2024")).status).toBe(400),
  "Get Collection Invoices: invoiceType": async (w) =>
    expect(await listed(w, "invoiceType=Test")).toEqual([w.testId]),
  "Get Collection Invoices: page": async (w) => expect(await listed(w, "page=2&pageSize=1")).toHaveLength(1),
  "Get Collection Invoices: pageSize": async (w) => expect(await listed(w, "pageSize=2")).toHaveLength(2),
});

export const banks = checks({
  "Get Banks: data is a list of banks": (w) => list(w.answers.getBanks.body.data),
  "Get Banks: each with a numeric id": (w) => {
    for (const bank of w.answers.getBanks.body.data) number(bank.id);
  },
  "Get Banks: the id is used as bankId": async (w) => {
    for (const [nth, { id: bankId }] of w.answers.getBanks.body.data.entries())
      expect((await w.link({ bankId, accountNumber: `700000000${nth}`, isPrimary: false })).status).toBe(201);
  },
});

export const requests = checks({
  "Create Invoice request: collectionId names the collection": async (w) =>
    expect((await w.create({ collectionId: NOBODY })).status).toBe(404),
  "Create Invoice request: title": async (w) =>
    expect((await w.create({ title: "T" })).body.data.title).toBe("T"),
  "Create Invoice request: payerName": async (w) =>
    expect((await w.create({ payerName: "P" })).body.data.payerName).toBe("P"),
  "Create Invoice request: payerEmail": async (w) =>
    expect((await w.create({ payerEmail: "a@b.ng" })).body.data.payerEmail).toBe("a@b.ng"),
  "Create Invoice request: payerPhoneNumber": async (w) =>
    expect((await w.create({ payerPhoneNumber: "08030000000" })).body.data.payerPhoneNumber).toBe(
      "08030000000",
    ),
  "Create Invoice request: billerMetaData": async (w) =>
    expect((await w.create({ billerMetaData: { x: "y" } })).body.data.billerMetaData).toEqual({ x: "y" }),
  "Create Invoice request: amount": async (w) =>
    expect((await w.create({ amount: 12.5 })).body.data.amount).toBe(12.5),
  "Create Invoice request: callBackUrl": async (w) =>
    expect((await w.create({ callBackUrl: "https://x.ng/c" })).body.data.callBackUrl).toBe("https://x.ng/c"),
  "Create Invoice request: invoiceBeneficiaries": (w) =>
    expect(w.shared.invoiceBeneficiaries).toHaveLength(1),
  "Add Linked Account request: bankId is an integer": async (w) =>
    expect((await w.link({ bankId: 1.5, accountNumber: "8000000001" })).status).toBe(400),
  "Add Linked Account request: bankId is not the clearing code": async (w) =>
    expect((await w.link({ bankId: "044", accountNumber: "8000000002" })).status).toBe(400),
  "Add Linked Account request: bankId is not the bank's UUID": async (w) =>
    expect(
      (await w.link({ bankId: "2f0d7c1e-6b0a-4a41-9c52-0b5f1c6d7e01", accountNumber: "8000000003" })).status,
    ).toBe(400),
  "Add Linked Account request: accountNumber": async (w) =>
    expect((await w.link({ bankId: 1 })).status).toBe(400),
  "Add Linked Account request: isPrimary": async (w) => {
    expect((await w.link({ bankId: 1, accountNumber: "8000000004", isPrimary: true })).status).toBe(201);
    const primary = (await w.accounts()).filter((account) => account.isPrimary);
    expect(primary.map((account) => account.accountNumber)).toEqual(["8000000004"]);
  },
});

export const states = checks({
  "Invoice: created → Unpaid": (w) => expect(w.answers.createInvoice.body.data.status).toBe("Unpaid"),
  "Invalidate: the invoice exists, is checked first": async (w) =>
    expect((await w.invalidate(NOBODY)).body.message).toBe("Invoice with the given Id does not exist"),
  "Invalidate: it is unpaid, is checked second": async (w) =>
    expect((await w.invalidate(w.paidId)).body.message).toBe(
      "The invoice has already been paid or is no longer valid",
    ),
  "Invalidate: takes no body": async (w) =>
    expect((await w.invalidate((await w.create({})).body.data.id)).status).toBe(200),
  "Invoice: Unpaid → the invalid state": async (w) =>
    expect((await w.read(w.invalidId)).body.data.status).toBe("Invalidated"),
  "Invoice: the invalid state can no longer be paid": async (w) =>
    expect((await w.pay(w.invalidId)).status).toBe(412),
  "Invalidate: a paid invoice is refused": async (w) =>
    expect((await w.invalidate(w.paidId)).status).toBe(412),
  "Invalidate: an already invalid invoice is refused": async (w) =>
    expect((await w.invalidate(w.invalidId)).body.message).toBe(
      "The invoice has already been paid or is no longer valid",
    ),
  "Linked account: created → Pending": async (w) =>
    expect((await w.accounts()).find((one) => one.accountNumber === w.linkedNumber)?.status).toBe("Pending"),
  "Linked account: an account number can be linked only once": async (w) =>
    expect((await w.link({ bankId: 2, accountNumber: w.linkedNumber })).status).toBe(400),
  "Linked account: the first one linked becomes primary automatically": async (w) =>
    expect(await w.firstAccounts()).toEqual([true, false]),
  "Linked account: it must be approved before it receives settlements": async (w) => {
    const account = (await w.accounts()).find((one) => one.accountNumber === w.linkedNumber);
    const share = () => w.createShared(account?.id ?? "");
    expect((await share()).status).toBe(412);
    await w.approve(account?.id ?? "");
    expect((await share()).status).toBe(200);
  },
});

export const errors = checks({
  "Error: Invoice with the given Id does not exist": async (w) =>
    expect((await w.read(NOBODY)).body.message).toBe("Invoice with the given Id does not exist"),
  "Error: The invoice has already been paid or is no longer valid": async (w) =>
    expect((await w.invalidate(w.paidId)).body.message).toBe(
      "The invoice has already been paid or is no longer valid",
    ),
  "Error: Add Linked Account refused is HTTP 400": async (w) =>
    expect((await w.link({ bankId: 999, accountNumber: "8000000009" })).status).toBe(400),
});

export const evidence: Checks = [
  ...fields("Errors (part B)", (w) => w.refused.body, [
    ["status", "is the HTTP status", is(404)],
    ["message", "is text", text],
    ["type", "is text", text],
    [
      "errors",
      "is a list of text",
      (value) => {
        for (const one of value as unknown[]) text(one);
      },
    ],
  ]),
  ...checks({
    "Errors (part B): 400 invalid": async (w) => expect((await w.create({ amount: -1 })).status).toBe(400),
    "Errors (part B): 401 bad key": async (w) => expect((await w.read(NOBODY, "bad")).status).toBe(401),
    "Errors (part B): 403 disabled collection": async (w) =>
      expect((await w.create({ collectionId: DISABLED })).status).toBe(403),
    "Errors (part B): 403 wrong kind of key": async (w) => {
      expect((await w.invalidate((await w.create({})).body.data.id, TEST_KEY)).status).toBe(403);
      // Nothing Live comes of the reverse (docs/assumptions.md).
      const rehearsal = (await w.create({}, TEST_KEY)).body.data.id;
      expect((await w.invalidate(rehearsal, LIVE_KEY)).status).toBe(200);
    },
    "Errors (part B): 404 not found": (w) => expect(w.refused.status).toBe(404),
    "Errors (part B): 412 business rule refused": async (w) =>
      expect((await w.invalidate(w.paidId, LIVE_KEY)).status).toBe(412),
    "Callback (part B): server-to-server POST to the invoice's callBackUrl": (w) =>
      expect([w.callback.method, w.callback.url]).toEqual(["POST", "/callbacks/merchant"]),
    "Callback (part B): application/json": (w) =>
      expect(w.callback.headers["content-type"]).toBe("application/json"),
    "Callback (part B): User-Agent: Tranzakt-Payment-Platform/1.0": (w) =>
      expect(w.callback.headers["user-agent"]).toBe("Tranzakt-Payment-Platform/1.0"),
    "Callback (part B): X-Webhook-ID: <UUID>": (w) => uuid(w.callback.headers["x-webhook-id"]),
    "Callback (part B): no signature header is listed": (w) =>
      expect(Object.keys(w.callback.headers).filter((name) => /sign/i.test(name))).toEqual([]),
    "Callback (part B): the top-level id is the notification, data.id is the invoice": ({
      callback,
      paidId,
    }) => {
      uuid(callback.body.id);
      expect([callback.body.data.id, callback.body.id === paidId]).toEqual([paidId, false]);
    },
  }),
  ...fields("Callback (part B)", (w) => w.callback.body, [
    ["event", "is payment.successful", is("payment.successful")],
    ["createdAt", "is ISO 8601 UTC", isoUtc],
    ["data.collectionId", "is a UUID", uuid],
    ["data.status", "is Paid", is("Paid")],
    ["data.type", "is Live", is("Live")],
    ["data.totalAmount", "is a number", number],
    ["data.paymentDate", "is ISO 8601 UTC", isoUtc],
    ["data.billerMetaData", "is a map of string to string", mapOfText],
  ]),
  ...checks({
    "Paths (part B): /collections/{id}/Invoices with a capital I, and InvoiceType": async (w) =>
      expect((await w.capital()).status).toBe(200),
  }),
];
