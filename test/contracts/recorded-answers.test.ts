import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CollectionClient } from "../../src/provider/collection-api/index.ts";
import { startStubProvider } from "../provider/collection-api/stub-provider.ts";

const COLLECTION = "7d9f2c84-1b7e-4c07-9a55-3c2f0f6b1d01";
const PAID = "11111111-1b7e-4c07-9a55-3c2f0f6b1d11";
const UNPAID = "22222222-1b7e-4c07-9a55-3c2f0f6b1d22";
const UNKNOWN = "99999999-1b7e-4c07-9a55-3c2f0f6b1d99";
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
  const calls: [file: string, call: Call][] = [
    ["get-collection", (client) => client.getCollection(COLLECTION)],
    ["list-invoices-page-1", (client) => client.listInvoices(COLLECTION, { page: 1, pageSize: 2 })],
    ["list-invoices-page-2", (client) => client.listInvoices(COLLECTION, { page: 2, pageSize: 2 })],
    ["list-invoices-paid", (client) => client.listInvoices(COLLECTION, { invoiceStatus: "Paid" })],
    ["create-invoice", (client) => client.createInvoice({ ...DUES, collectionId: COLLECTION })],
    ["get-invoice-paid", (client) => client.getInvoice(PAID.toUpperCase())],
    ["get-invoice-unpaid", (client) => client.getInvoice(UNPAID)],
    ["invalidate-invoice", (client) => client.invalidateInvoice(UNPAID)],
    ["add-linked-account", (client) => client.addLinkedAccount(LINK)],
    ["get-banks", (client) => client.getBanks()],
  ];

  it("each with the request that it answers", async () => {
    const read = calls.map(async ([file, call]) => {
      const { outcome, request } = await ask(call, recorded(file));
      const { document: _, text: __, ...rest } = outcome as Record<string, unknown>;
      return `${file}: ${request}\n${JSON.stringify(Array.isArray(outcome) ? outcome : rest, null, 1)}`;
    });
    await expect((await Promise.all(read)).join("\n\n")).toMatchFileSnapshot("golden/read-answers.txt");
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
