import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { CollectionClient } from "../../src/collection-api/index.ts";
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
    ["invoiceStatus in place of status", '"status": "Unpaid"', '"invoiceStatus": "Paid"', { status: "Paid" }],
    ["an unknown status", '"status": "Unpaid"', '"status": "PartiallyPaid"', { status: "PartiallyPaid" }],
  ])("%s", async (_, from, to, read) => {
    expect((await invoiceFrom(variant(from, to))).invoice).toMatchObject(read);
  });

  it("unknown fields stay in the document, with their digits", async () => {
    const body = variant('"title":', '"channel": "web", "risk": { "score": 0.10 }, "title":');
    const { document, text } = await invoiceFrom(body);
    expect(document).toMatchObject({ channel: "web" });
    expect(JSON.stringify(document)).toContain('"risk":{"score":0.10}');
    expect(text).toBe(body);
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
