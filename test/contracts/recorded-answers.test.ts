import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { CollectionClient, toUtc } from "../../src/collection-api/index.ts";
import { listen } from "../../src/kit/http-server.ts";
import { startStubProvider } from "../collection-api/stub-provider.ts";
import { describeOperations, type Provider } from "./describe-operations.ts";

describeOperations("answers recorded from the interface document", startRecordedProvider);

async function invoiceFrom(body: string, status = 200) {
  await using provider = await startStubProvider(() => ({ status, body }));
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "recorded-key" });
  try {
    return await client.getInvoice(UNPAID);
  } finally {
    await client.close();
  }
}

/** The recorded invoice that is not paid, with one text in place of another. */
function variant(from: string, to: string): string {
  const body = recorded("get-invoice-unpaid");
  expect(body).toContain(from);
  return body.replaceAll(from, to);
}

describe("variants that the interface says a provider may answer with (parts B and C)", () => {
  it.each<[string, string, string, Record<string, unknown>]>([
    ["the envelope says success", '"status": 200', '"status": "success"', { status: "Unpaid" }],
    ["the envelope says 200 as text", '"status": 200', '"status": "200"', { status: "Unpaid" }],
    ["invoiceStatus in place of status", '"status": "Unpaid"', '"invoiceStatus": "Paid"', { status: "Paid" }],
    ["an unknown status", '"status": "Unpaid"', '"status": "PartiallyPaid"', { status: "PartiallyPaid" }],
    ["an empty paymentDate", '"paymentDate": null', '"paymentDate": ""', { paymentDate: null }],
    ["an amount as text", '"amount": 40000.00', '"amount": "40000.00"', { amount: "40000.00" }],
    ["a charge as text", '"vat": 27.91', '"vat": "27.91"', { vat: "27.91" }],
  ])("%s", async (_, from, to, read) => {
    expect((await invoiceFrom(variant(from, to))).invoice).toMatchObject(read);
  });

  it("beneficiaries' amounts are read from text and from numbers", async () => {
    const two =
      '[{ "linkedAccountId": "a", "amount": "30000.50" }, { "linkedAccountId": "b", "amount": 9999.5 }]';
    const { invoice } = await invoiceFrom(
      variant('"invoiceBeneficiaries": null', `"invoiceBeneficiaries": ${two}`),
    );
    expect(invoice.invoiceBeneficiaries?.map(({ amount }) => amount)).toEqual(["30000.50", "9999.50"]);
  });

  it("unknown fields stay in the document, with their digits", async () => {
    const body = variant('"title":', '"channel": "web", "risk": { "score": 0.10 }, "title":');
    const { document, text } = await invoiceFrom(body);
    expect(document).toMatchObject({ channel: "web" });
    expect(JSON.stringify(document)).toContain('"risk":{"score":0.10}');
    expect(text).toBe(body);
  });

  it("an amount beyond what a double holds loses nothing", async () => {
    const { invoice, document } = await invoiceFrom(variant("40000.00", "9007199254740993.25"));
    expect(invoice).toMatchObject({ amount: "9007199254740993.25" });
    expect(JSON.stringify(document)).toContain('"amount":9007199254740993.25');
  });

  it("a time without a zone is the zone's that the reader names", async () => {
    const { invoice } = await invoiceFrom(
      variant('"paymentDate": null', '"paymentDate": "2024-05-02T09:05:10"'),
    );
    expect(toUtc(invoice.paymentDate, "Africa/Lagos")?.toISOString()).toBe("2024-05-02T08:05:10.000Z");
  });

  it.each([200, 400, 404, 500])("the message of an unknown invoice counts under HTTP %i", async (status) => {
    const reading = invoiceFrom(recorded("get-invoice-unknown-under-200"), status);
    await expect(reading).rejects.toMatchObject({ kind: "not_found", next: "refuse" });
  });
});

const COLLECTION = "7d9f2c84-1b7e-4c07-9a55-3c2f0f6b1d01";
const PAID = "11111111-1b7e-4c07-9a55-3c2f0f6b1d11";
const UNPAID = "22222222-1b7e-4c07-9a55-3c2f0f6b1d22";
const UNKNOWN = "99999999-1b7e-4c07-9a55-3c2f0f6b1d99";
const LIST = `GET /api/v1/collections/${COLLECTION}/invoices`;

/** Which recorded answer belongs to which request; `body` is part of the request's body. */
const ROUTES: readonly { request: string; body?: string; status: number; file: string }[] = [
  { request: `GET /api/v1/collections/${COLLECTION}`, status: 200, file: "get-collection" },
  { request: `${LIST}?page=1&pageSize=2`, status: 200, file: "list-invoices-page-1" },
  { request: `${LIST}?pageSize=2&page=1`, status: 200, file: "list-invoices-page-1" },
  { request: `${LIST}?page=2&pageSize=2`, status: 200, file: "list-invoices-page-2" },
  { request: `${LIST}?invoiceStatus=Paid&page=1&pageSize=2`, status: 200, file: "list-invoices-paid" },
  { request: "POST /api/v1/invoices", status: 200, file: "create-invoice" },
  { request: `GET /api/v1/invoices/${PAID}`, status: 200, file: "get-invoice-paid" },
  { request: `GET /api/v1/invoices/${UNPAID}`, status: 200, file: "get-invoice-unpaid" },
  { request: `GET /api/v1/invoices/${UNKNOWN}`, status: 404, file: "get-invoice-unknown" },
  { request: `POST /api/v1/invoices/${UNPAID}/invalidate`, status: 200, file: "invalidate-invoice" },
  { request: `POST /api/v1/invoices/${PAID}/invalidate`, status: 412, file: "invalidate-invoice-refused" },
  { request: `POST /api/v1/invoices/${UNKNOWN}/invalidate`, status: 404, file: "get-invoice-unknown" },
  {
    request: "POST /api/v1/linked-accounts",
    body: '"accountNumber":"0123456789"',
    status: 400,
    file: "add-linked-account-refused",
  },
  { request: "POST /api/v1/linked-accounts", status: 201, file: "add-linked-account" },
  { request: "GET /api/v1/banks", status: 200, file: "get-banks" },
];

/** The body of a recorded answer, byte for byte. */
const recorded = (file: string) =>
  readFileSync(new URL(`recorded-answers/${file}.json`, import.meta.url), "utf8");

/** A provider that answers with what was written down by hand from the interface. */
async function startRecordedProvider(): Promise<Provider> {
  const server = await listen(
    async (request, response) => {
      const asked = `${request.method} ${request.url}`;
      const body = await text(request);
      const route = ROUTES.find((each) => each.request === asked && body.includes(each.body ?? ""));
      response.writeHead(route?.status ?? 501, { "content-type": "application/json" });
      response.end(
        route === undefined ? `{"message":"nothing recorded for ${asked}"}` : recorded(route.file),
      );
    },
    { port: 0, host: "127.0.0.1", name: "recorded provider" },
  );
  const client = new CollectionClient({ baseUrl: server.url, apiKey: "recorded-key" });
  return {
    client,
    collectionId: COLLECTION,
    paidInvoiceId: PAID,
    unpaidInvoiceId: UNPAID,
    amount: undefined,
    bankId: 1,
    linkedAccountNumber: "0123456789",
    async close() {
      await client.close();
      await server.close(0);
    },
  };
}
