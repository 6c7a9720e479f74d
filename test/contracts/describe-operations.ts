import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CollectionClient, differenceOfMoney, sumOfMoney } from "../../src/collection-api/index.ts";

/** A provider, and what it has been told to hold. */
export interface Provider {
  /** A client of this provider, with a key that it accepts. */
  client: CollectionClient;
  /** An active collection; with the two invoices below and more than one page of two. */
  collectionId: string;
  paidInvoiceId: string;
  unpaidInvoiceId: string;
  /** What Create Invoice may send for this collection: `40000.00` if it has no fixed amount, else nothing. */
  amount: string | undefined;
  /** An id of Get Banks. */
  bankId: number;
  /** An account number that is linked already. */
  linkedAccountNumber: string;
  close(): Promise<void>;
}

type Case = readonly [what: string, call: (provider: Provider) => Promise<unknown>, answer: Expected];
type Expected = (provider: Provider) => unknown;

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const money = expect.stringMatching(/^\d+\.\d{2,}$/);
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const text = expect.stringMatching(/\S/);
const UNKNOWN_ID = "99999999-1b7e-4c07-9a55-3c2f0f6b1d99";
const REQUEST = {
  title: "Dues 2024, house 1",
  payerName: "Ada Obi",
  payerEmail: "ada@example.com",
  payerPhoneNumber: "+2348012345678",
  billerMetaData: { house: "1" },
  callBackUrl: "https://relay.example.com/callbacks/token",
};
const listed = { id: uuid, amount: money, payerName: text, dateCreated: moment };
const unknown = { kind: "not_found", providerMessage: "Invoice with the given Id does not exist" };

const ANSWERS: readonly Case[] = [
  [
    "Get Collection by ID answers with the collection's terms, category and accounts",
    ({ client, collectionId }) => client.getCollection(collectionId),
    ({ collectionId }) => ({
      ...{ id: collectionId, collectionName: text, status: "Active", dateCreated: moment },
      ...{ invoiceExpirationPeriod: "OneDay", serviceFeeBilling: "Payer" },
      paymentChannels: expect.arrayContaining(["Card", "BankTransfer"]),
      collectionCategory: { id: uuid, name: text },
      collectionAccounts: expect.arrayContaining([
        {
          percentage: expect.any(Number),
          linkedAccount: {
            ...{ id: uuid, accountName: text, accountNumber: expect.stringMatching(/^\d+$/) },
            bank: { id: uuid, name: text, code: text, logo: text },
          },
        },
      ]),
    }),
  ],
  [
    "Get Collection Invoices answers with the page that is asked for",
    ({ client, collectionId }) => client.listInvoices(collectionId, { page: 1, pageSize: 2 }),
    () => ({ page: 1, pageSize: 2, hasNextPage: true, hasPreviousPage: false, items: [listed, listed] }),
  ],
  [
    "Get Collection Invoices keeps to the status that is asked for",
    ({ client, collectionId }) =>
      client.listInvoices(collectionId, { invoiceStatus: "Paid", page: 1, pageSize: 2 }),
    ({ paidInvoiceId }) => ({ items: [{ id: paidInvoiceId, status: "Paid", datePaid: moment }] }),
  ],
  [
    "Create Invoice answers with an unpaid invoice",
    async ({ client, collectionId, amount }) =>
      (await client.createInvoice({ collectionId, ...REQUEST, ...(amount !== undefined && { amount }) }))
        .invoice,
    () => ({
      ...{ ...REQUEST, id: uuid, status: "Unpaid", amount: "40000.00" },
      ...{ paymentUrl: expect.stringMatching(/^https?:/), paymentDate: null, paymentMethod: null },
    }),
  ],
  [
    "Get Invoice by ID answers with a paid invoice, also of an id in capital letters",
    async ({ client, paidInvoiceId }) => (await client.getInvoice(paidInvoiceId.toUpperCase())).invoice,
    ({ paidInvoiceId: id }) => ({
      id,
      status: "Paid",
      type: "Live",
      paymentMethod: text,
      paymentDate: moment,
    }),
  ],
  [
    "Get Invoice by ID answers with an unpaid invoice that has neither date nor method of payment",
    async ({ client, unpaidInvoiceId }) => (await client.getInvoice(unpaidInvoiceId)).invoice,
    () => ({ status: "Unpaid", paymentDate: null, paymentMethod: null }),
  ],
  [
    "Add Linked Account takes a new account, and answers without data",
    ({ client, bankId }) =>
      client.addLinkedAccount({ linkedAccount: { bankId, accountNumber: "2233445566", isPrimary: false } }),
    () => ({ message: text }),
  ],
  [
    "Get Banks gives each bank the number that Add Linked Account takes",
    ({ client }) => client.getBanks(),
    ({ bankId }) => expect.arrayContaining([expect.objectContaining({ id: bankId, name: text })]),
  ],
  // Last, since it changes the unpaid invoice.
  [
    "Invalidate Invoice takes an unpaid invoice, and answers without data",
    ({ client, unpaidInvoiceId }) => client.invalidateInvoice(unpaidInvoiceId),
    () => ({ message: text }),
  ],
];

const REFUSALS: readonly Case[] = [
  ["Get Invoice by ID refuses an unknown id", ({ client }) => client.getInvoice(UNKNOWN_ID), () => unknown],
  [
    "Invalidate Invoice asks first whether the invoice exists",
    ({ client }) => client.invalidateInvoice(UNKNOWN_ID),
    () => unknown,
  ],
  [
    "Invalidate Invoice refuses a paid invoice",
    ({ client, paidInvoiceId }) => client.invalidateInvoice(paidInvoiceId),
    () => ({
      kind: "rule_refused",
      providerMessage: "The invoice has already been paid or is no longer valid",
    }),
  ],
  [
    "Add Linked Account refuses an account that is linked already with 400",
    ({ client, bankId, linkedAccountNumber: accountNumber }) =>
      client.addLinkedAccount({ linkedAccount: { bankId, accountNumber, isPrimary: false } }),
    () => ({ kind: "invalid", status: 400, next: "refuse", outcomeUnknown: false }),
  ],
];

/** What every provider of the interface answers alike, put through the client. */
export function describeOperations(name: string, startProvider: () => Promise<Provider>): void {
  describe(name, () => {
    let provider: Provider;
    beforeAll(async () => {
      provider = await startProvider();
    });
    afterAll(() => provider?.close());

    it.each(REFUSALS)("%s, word for word", async (_, call, refusal) => {
      const thrown = expect(call(provider)).rejects;
      await thrown.toMatchObject({ name: "CollectionApiError", ...(refusal(provider) as object) });
    });

    it("the list yields every invoice once", async () => {
      const { client, collectionId, paidInvoiceId, unpaidInvoiceId } = provider;
      const ids: string[] = [];
      for await (const { id } of client.iterateInvoices(collectionId, { pageSize: 2 })) ids.push(id);
      const { totalCount } = await client.listInvoices(collectionId, { page: 1, pageSize: 2 });
      expect([ids.length, new Set(ids).size]).toEqual([totalCount, totalCount]);
      expect(ids).toEqual(expect.arrayContaining([paidInvoiceId, unpaidInvoiceId]));
    });

    it("an invoice's totals add up, and what is settled is its amount", async () => {
      const { invoice } = await provider.client.getInvoice(provider.paidInvoiceId);
      const { amount, serviceCharge, vat, totalAmount, settleableAmount } = invoice;
      expect(totalAmount).toBe(sumOfMoney([amount, serviceCharge ?? "", vat ?? ""]));
      expect(differenceOfMoney(settleableAmount ?? "", amount)).toBe("0.00");
    });

    it.each(ANSWERS)("%s", async (_, call, answer) => {
      const got = await call(provider);
      if (Array.isArray(got)) expect(got).toEqual(answer(provider));
      else expect(got).toMatchObject(answer(provider) as object);
    });
  });
}
