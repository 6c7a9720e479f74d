import { describe, expect, it } from "vitest";
import { CollectionClient, toUtc } from "../../src/collection-api/index.ts";
import { startStubProvider } from "../collection-api/stub-provider.ts";
import { describeOperations } from "./describe-operations.ts";
import { recorded, startRecordedProvider } from "./recorded-provider.ts";

describeOperations("answers recorded from the interface document", startRecordedProvider);

async function invoiceFrom(file: string, status = 200) {
  await using provider = await startStubProvider(() => ({ status, body: recorded(file) }));
  const id = /"id": "([^"]+)"/.exec(recorded(file))?.[1] ?? "99999999-1b7e-4c07-9a55-3c2f0f6b1d99";
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "recorded-key" });
  try {
    return await client.getInvoice(id);
  } finally {
    await client.close();
  }
}

describe("variants that the interface says a provider may answer with", () => {
  it.each(["variant-envelope-status-success", "variant-envelope-status-200-as-text"])(
    "%s: the envelope's status is read in either form",
    async (file) => expect((await invoiceFrom(file)).invoice.status).toBe("Unpaid"),
  );

  it("invoiceStatus is read where status is not said", async () => {
    expect((await invoiceFrom("variant-invoice-status-field")).invoice.status).toBe("Paid");
  });

  it("an empty paymentDate is none", async () => {
    expect((await invoiceFrom("variant-payment-date-empty")).invoice.paymentDate).toBeNull();
  });

  it("beneficiaries' amounts are read from text and from numbers", async () => {
    const { invoice } = await invoiceFrom("variant-beneficiary-amount-as-text");
    expect(invoice.invoiceBeneficiaries?.map(({ amount }) => amount)).toEqual(["30000.50", "9999.50"]);
  });

  it("amounts as text are the amounts as numbers", async () => {
    const { invoice } = await invoiceFrom("variant-amounts-as-text");
    expect(invoice).toMatchObject({ amount: "40000.00", totalAmount: "40400.10", vat: "27.91" });
  });

  it("unknown fields stay in the document, with their digits", async () => {
    const { document, text } = await invoiceFrom("variant-unknown-fields");
    expect(document).toMatchObject({ channel: "web" });
    expect(JSON.stringify(document)).toContain('"risk":{"score":0.10}');
    expect(text).toBe(recorded("variant-unknown-fields"));
  });

  it("an unknown status is kept as it is", async () => {
    expect((await invoiceFrom("variant-unknown-status")).invoice.status).toBe("PartiallyPaid");
  });

  it("an amount beyond what a double holds loses nothing", async () => {
    const { invoice, document } = await invoiceFrom("variant-amount-beyond-a-double");
    expect(invoice).toMatchObject({ amount: "9007199254740993.25", vat: "0.00" });
    expect(JSON.stringify(document)).toContain('"amount":9007199254740993.25');
  });

  it("a time without a zone is the zone's that the reader names", async () => {
    const { invoice } = await invoiceFrom("variant-time-without-zone");
    expect(toUtc(invoice.paymentDate, "Africa/Lagos")?.toISOString()).toBe("2024-05-02T08:05:10.000Z");
  });

  it.each([200, 400, 404, 500])("the message of an unknown invoice counts under HTTP %i", async (status) => {
    const reading = invoiceFrom("get-invoice-unknown-under-200", status);
    await expect(reading).rejects.toMatchObject({ kind: "not_found", next: "refuse" });
  });
});
