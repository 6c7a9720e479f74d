import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CollectionApiError,
  type CollectionClient,
  differenceOfMoney,
  sumOfMoney,
  toUtc,
} from "../../src/collection-api/index.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MONEY = /^\d+\.\d{2,}$/;
const UNKNOWN_ID = "99999999-1b7e-4c07-9a55-3c2f0f6b1d99";

/** What every provider of the interface answers alike, put through the client. */
export function describeOperations(name: string, startProvider: StartProvider): void {
  describe(name, () => {
    let provider: Provider;
    beforeAll(async () => {
      provider = await startProvider();
    });
    afterAll(() => provider?.close());

    const refusal = async (call: Promise<unknown>) => {
      const error = await call.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(CollectionApiError);
      return error as CollectionApiError;
    };

    describe("Get Collection by ID", () => {
      it("answers with the collection's terms, category and accounts", async () => {
        const collection = await provider.client.getCollection(provider.collectionId);
        expect(collection).toMatchObject({
          id: provider.collectionId,
          status: "Active",
          invoiceExpirationPeriod: "OneDay",
          serviceFeeBilling: "Payer",
          collectionCategory: { id: expect.stringMatching(UUID), name: expect.any(String) },
        });
        expect(collection.collectionName).toBeTruthy();
        expect(collection.paymentChannels).toEqual(expect.arrayContaining(["Card", "BankTransfer"]));
        expect(toUtc(collection.dateCreated, "UTC")).toBeInstanceOf(Date);
        for (const account of collection.collectionAccounts) {
          expect(account.percentage).toEqual(expect.any(Number));
          expect(account.linkedAccount).toMatchObject({
            id: expect.stringMatching(UUID),
            accountName: expect.any(String),
            accountNumber: expect.stringMatching(/^\d+$/),
            bank: { id: expect.stringMatching(UUID), name: expect.any(String), code: expect.any(String) },
          });
        }
        expect(collection.collectionAccounts.length).toBeGreaterThan(0);
      });
    });

    describe("Get Collection Invoices", () => {
      it("answers with the page that is asked for", async () => {
        const page = await provider.client.listInvoices(provider.collectionId, { page: 1, pageSize: 2 });
        expect(page).toMatchObject({ page: 1, pageSize: 2, hasNextPage: true, hasPreviousPage: false });
        expect(page.items).toHaveLength(2);
        for (const item of page.items) {
          expect(item.id).toMatch(UUID);
          expect(item.amount).toMatch(MONEY);
          expect(item.datePaid === null).toBe(item.status !== "Paid");
        }
      });

      it("keeps to the status that is asked for", async () => {
        const filter = { invoiceStatus: "Paid", page: 1, pageSize: 2 };
        const page = await provider.client.listInvoices(provider.collectionId, filter);
        expect(page.items.map((item) => item.id)).toContain(provider.paidInvoiceId);
        expect(new Set(page.items.map((item) => item.status))).toEqual(new Set(["Paid"]));
      });

      it("yields every invoice of the list once", async () => {
        const ids: string[] = [];
        for await (const item of provider.client.iterateInvoices(provider.collectionId, { pageSize: 2 }))
          ids.push(item.id);
        const { totalCount } = await provider.client.listInvoices(provider.collectionId, {
          page: 1,
          pageSize: 2,
        });
        expect(ids).toHaveLength(totalCount ?? -1);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining([provider.paidInvoiceId, provider.unpaidInvoiceId]));
      });
    });

    describe("Create Invoice", () => {
      it("answers with an unpaid invoice whose totals add up", async () => {
        const { invoice } = await provider.client.createInvoice({
          collectionId: provider.collectionId,
          title: "Dues 2024, house 1",
          payerName: "Ada Obi",
          payerEmail: "ada@example.com",
          payerPhoneNumber: "+2348012345678",
          billerMetaData: { house: "1" },
          callBackUrl: "https://relay.example.com/callbacks/token",
          ...(provider.amount === undefined ? {} : { amount: provider.amount }),
        });
        expect(invoice).toMatchObject({
          id: expect.stringMatching(UUID),
          title: "Dues 2024, house 1",
          status: "Unpaid",
          payerName: "Ada Obi",
          payerEmail: "ada@example.com",
          amount: "40000.00",
          paymentDate: null,
          paymentMethod: null,
          billerMetaData: { house: "1" },
          callBackUrl: "https://relay.example.com/callbacks/token",
        });
        expect(invoice.paymentUrl).toMatch(/^https?:/);
        const parts = [invoice.amount, invoice.serviceCharge ?? "", invoice.vat ?? ""];
        expect(invoice.totalAmount).toBe(sumOfMoney(parts));
      });
    });

    describe("Get Invoice by ID", () => {
      it("answers with a paid invoice", async () => {
        const { invoice } = await provider.client.getInvoice(provider.paidInvoiceId);
        expect(invoice).toMatchObject({ id: provider.paidInvoiceId, status: "Paid", type: "Live" });
        expect(invoice.paymentMethod).toBeTruthy();
        expect(toUtc(invoice.paymentDate, "UTC")).toBeInstanceOf(Date);
        expect(differenceOfMoney(invoice.settleableAmount ?? "", invoice.amount)).toBe("0.00");
      });

      it("takes an id in capital letters", async () => {
        const { invoice } = await provider.client.getInvoice(provider.paidInvoiceId.toUpperCase());
        expect(invoice.id).toBe(provider.paidInvoiceId);
      });

      it("answers with an unpaid invoice that has neither date nor method of payment", async () => {
        const { invoice } = await provider.client.getInvoice(provider.unpaidInvoiceId);
        expect(invoice).toMatchObject({ status: "Unpaid", paymentDate: null, paymentMethod: null });
      });

      it("refuses an unknown id, word for word", async () => {
        const error = await refusal(provider.client.getInvoice(UNKNOWN_ID));
        expect(error.kind).toBe("not_found");
        expect(error.providerMessage).toBe("Invoice with the given Id does not exist");
      });
    });

    describe("Add Linked Account", () => {
      it("takes a new account, and answers without data", async () => {
        const { bankId } = provider;
        const linkedAccount = { bankId, accountNumber: "2233445566", isPrimary: false };
        const { message } = await provider.client.addLinkedAccount({ linkedAccount });
        expect(message).not.toBe("");
      });

      it("refuses an account that is linked already with 400", async () => {
        const { bankId, linkedAccountNumber: accountNumber } = provider;
        const linkedAccount = { bankId, accountNumber, isPrimary: false };
        const error = await refusal(provider.client.addLinkedAccount({ linkedAccount }));
        expect(error).toMatchObject({ kind: "invalid", status: 400, next: "refuse", outcomeUnknown: false });
      });
    });

    describe("Get Banks", () => {
      it("gives each bank the number that Add Linked Account takes", async () => {
        const banks = await provider.client.getBanks();
        expect(banks.map((bank) => bank.id)).toContain(provider.bankId);
        for (const bank of banks) {
          expect(Number.isInteger(bank.id)).toBe(true);
          expect(bank.name).toBeTruthy();
        }
      });
    });

    // Last, since it changes the unpaid invoice.
    describe("Invalidate Invoice", () => {
      it("asks first whether the invoice exists", async () => {
        const error = await refusal(provider.client.invalidateInvoice(UNKNOWN_ID));
        expect(error.kind).toBe("not_found");
        expect(error.providerMessage).toBe("Invoice with the given Id does not exist");
      });

      it("refuses a paid invoice, word for word", async () => {
        const error = await refusal(provider.client.invalidateInvoice(provider.paidInvoiceId));
        expect(error.kind).toBe("rule_refused");
        expect(error.providerMessage).toBe("The invoice has already been paid or is no longer valid");
      });

      it("takes an unpaid invoice, and answers without data", async () => {
        const { message } = await provider.client.invalidateInvoice(provider.unpaidInvoiceId);
        expect(message).not.toBe("");
      });
    });
  });
}

/**
 * A provider that `describe-operations.ts` can ask, and what it has been told to hold.
 */
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

type StartProvider = () => Promise<Provider>;
