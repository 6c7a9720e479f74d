import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CollectionClient } from "../../src/collection-api/index.ts";
import { startStubProvider } from "../collection-api/stub-provider.ts";

const COLLECTION = "7d9f2c84-1b7e-4c07-9a55-3c2f0f6b1d01";
const PAID = "11111111-1b7e-4c07-9a55-3c2f0f6b1d11";
const UNPAID = "22222222-1b7e-4c07-9a55-3c2f0f6b1d22";
const UNKNOWN = "99999999-1b7e-4c07-9a55-3c2f0f6b1d99";
const LIST = `GET /api/v1/collections/${COLLECTION}/invoices`;
const LINK = { linkedAccount: { bankId: 1, accountNumber: "0123456789", isPrimary: false } };
const DUES = { title: "Dues 2024, house 1", payerName: "Ada Obi", payerEmail: "ada@example.com" };

type Call = (client: CollectionClient) => Promise<unknown>;

/** The body of a recorded answer, byte for byte. */
const recorded = (file: string) =>
  readFileSync(new URL(`recorded-answers/${file}.json`, import.meta.url), "utf8");

/** What the client makes of one answer. @returns the request as well. */
async function ask(call: Call, body: string, status = 200) {
  await using provider = await startStubProvider(() => ({ status, body }));
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "recorded-key" });
  const outcome = await call(client).catch((error: unknown) => error);
  await client.close();
  const [asked] = provider.asked;
  return { outcome, request: `${asked?.method} ${asked?.url}` };
}

describe("answers recorded from the interface document, as the client reads them", () => {
  it.each<[file: string, call: Call, request: string, read: object]>([
    [
      "get-collection",
      (client) => client.getCollection(COLLECTION),
      `GET /api/v1/collections/${COLLECTION}`,
      {
        ...{ id: COLLECTION, collectionName: "Estate dues", status: "Active", amount: "40000.00" },
        ...{ invoiceExpirationPeriod: "OneDay", serviceFeeBilling: "Payer", settlementFrequency: "Instant" },
        ...{ paymentChannels: ["Card", "BankTransfer"], collectionCategory: { name: "Dues" } },
        collectionAccounts: [
          { percentage: 100, linkedAccount: { accountNumber: "0123456789", bank: { code: "011" } } },
        ],
      },
    ],
    [
      "list-invoices-page-1",
      (client) => client.listInvoices(COLLECTION, { page: 1, pageSize: 2 }),
      `${LIST}?page=1&pageSize=2`,
      {
        ...{ page: 1, pageSize: 2, totalCount: 3, hasNextPage: true, hasPreviousPage: false },
        items: [
          { id: PAID, amount: "40000.00", status: "Paid", datePaid: "2024-05-02T08:05:10Z" },
          { id: UNPAID, amount: "40000.00", status: "Unpaid", datePaid: null },
        ],
      },
    ],
    [
      "list-invoices-page-2",
      (client) => client.listInvoices(COLLECTION, { page: 2, pageSize: 2 }),
      `${LIST}?page=2&pageSize=2`,
      { hasNextPage: false, items: [{ status: "Unpaid", datePaid: null }] },
    ],
    [
      "list-invoices-paid",
      (client) => client.listInvoices(COLLECTION, { invoiceStatus: "Paid", page: 1, pageSize: 2 }),
      `${LIST}?invoiceStatus=Paid&page=1&pageSize=2`,
      { totalCount: 1, hasNextPage: false, items: [{ id: PAID, status: "Paid" }] },
    ],
    [
      "create-invoice",
      (client) => client.createInvoice({ ...DUES, collectionId: COLLECTION }),
      "POST /api/v1/invoices",
      { invoice: { ...DUES, status: "Unpaid", totalAmount: "40400.10" } },
    ],
    [
      "get-invoice-paid",
      (client) => client.getInvoice(PAID.toUpperCase()),
      `GET /api/v1/invoices/${PAID}`,
      {
        invoice: {
          ...{
            id: PAID,
            status: "Paid",
            type: "Live",
            paymentMethod: "Card",
            billerMetaData: { house: "1" },
          },
          ...{ amount: "40000.00", serviceCharge: "372.19", vat: "27.91", totalAmount: "40400.10" },
          ...{ settleableAmount: "40000.00", paymentDate: "2024-05-02T08:05:10Z" },
        },
      },
    ],
    [
      "get-invoice-unpaid",
      (client) => client.getInvoice(UNPAID),
      `GET /api/v1/invoices/${UNPAID}`,
      { invoice: { status: "Unpaid", paymentDate: null, paymentMethod: null } },
    ],
    [
      "invalidate-invoice",
      (client) => client.invalidateInvoice(UNPAID),
      `POST /api/v1/invoices/${UNPAID}/invalidate`,
      { message: "Invoice invalidated successfully" },
    ],
    [
      "add-linked-account",
      (client) => client.addLinkedAccount(LINK),
      "POST /api/v1/linked-accounts",
      { message: "Linked account added successfully" },
    ],
    [
      "get-banks",
      (client) => client.getBanks(),
      "GET /api/v1/banks",
      [
        { id: 1, name: "First Bank", code: "011" },
        { id: 2, logo: null },
      ],
    ],
  ])("%s", async (file, call, request, read) => {
    const answer = await ask(call, recorded(file));
    expect(answer.request).toBe(request);
    expect(answer.outcome).toMatchObject(read);
  });

  it.each<[file: string, status: number, call: Call, kind: string]>([
    ["get-invoice-unknown", 404, (client) => client.getInvoice(UNKNOWN), "not_found"],
    ["get-invoice-unknown-under-200", 200, (client) => client.getInvoice(UNKNOWN), "not_found"],
    ["get-invoice-unknown", 404, (client) => client.invalidateInvoice(UNKNOWN), "not_found"],
    ["invalidate-invoice-refused", 412, (client) => client.invalidateInvoice(PAID), "rule_refused"],
    ["add-linked-account-refused", 400, (client) => client.addLinkedAccount(LINK), "invalid"],
  ])("%s under %d", async (file, status, call, kind) => {
    const { message: providerMessage } = JSON.parse(recorded(file));
    const { outcome } = await ask(call, recorded(file), status);
    expect(outcome).toMatchObject({ kind, next: "refuse", outcomeUnknown: false, providerMessage });
  });
});

describe("variants that the interface says a provider may answer with (parts B and C)", () => {
  it.each([
    ["invoiceStatus in place of status", '"invoiceStatus": "Paid"', "Paid"],
    ["an unknown status", '"status": "PartiallyPaid"', "PartiallyPaid"],
  ])("%s", async (_, instead, status) => {
    const body = recorded("get-invoice-unpaid").replace('"status": "Unpaid"', instead);
    const { outcome } = await ask((client) => client.getInvoice(UNPAID), body);
    expect(outcome).toMatchObject({ invoice: { status } });
  });

  it("unknown fields stay in the document, with their digits", async () => {
    const more = '"channel": "web", "risk": { "score": 0.10 }, "title":';
    const body = recorded("get-invoice-unpaid").replace('"title":', more);
    const { outcome } = await ask((client) => client.getInvoice(UNPAID), body);
    expect(outcome).toMatchObject({ document: { channel: "web" }, text: body });
    expect(JSON.stringify(outcome)).toContain('"risk":{"score":0.10}');
  });
});
