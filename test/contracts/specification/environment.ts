import { readFile } from "node:fs/promises";
import { vi } from "vitest";
import { DEFAULT_SEED_FILE } from "../../../src/sandbox/provider/seed.ts";
import {
  ACCOUNT_A,
  type Body,
  LIVE_KEY,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startReceiver,
  startTestService,
  TEST_KEY,
} from "../../sandbox/provider/service-fixture.ts";

/** The specification's own Create Invoice request, with every field that an open collection takes. */
export const REQUEST = {
  collectionId: OPEN_AMOUNT,
  title: "First term",
  payerName: "Ada Obi",
  payerEmail: "ada@example.com",
  payerPhoneNumber: "+2348012345678",
  billerMetaData: { student: "17", house: "blue" },
  amount: 40_000,
  callBackUrl: "https://merchant.example/callbacks/token",
};

const LINKED = "6000000001";
const API = {
  getCollection: ["GET", `/api/v1/collections/${OPEN_AMOUNT}`],
  listInvoices: ["GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`],
  createInvoice: ["POST", "/api/v1/invoices"],
  getInvoice: ["GET", "/api/v1/invoices/{id}"],
  invalidateInvoice: ["POST", "/api/v1/invoices/{id}/invalidate"],
  addLinkedAccount: ["POST", "/api/v1/linked-accounts"],
  getBanks: ["GET", "/api/v1/banks"],
} as const;

export type OperationName = keyof typeof API;
export type SpecifiedEnvironment = Awaited<ReturnType<typeof startSpecifiedEnvironment>>;

/** A collection service in which everything that the specification speaks of has happened once. */
export async function startSpecifiedEnvironment() {
  const [service, receiver] = await Promise.all([startTestService(), startReceiver()]);
  const create = (more: Record<string, unknown>, key = LIVE_KEY) =>
    service.api("POST", "/api/v1/invoices", { ...REQUEST, ...more }, key);
  const dataOf = async (reply: Promise<Reply>): Promise<Body> => (await reply).body.data;
  const read = (id: string, key = LIVE_KEY) => service.api("GET", `/api/v1/invoices/${id}`, undefined, key);
  const invalidate = (id: string, key = LIVE_KEY) =>
    service.api("POST", `/api/v1/invoices/${id}/invalidate`, undefined, key);
  const list = (query: string) => service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?${query}`);
  const link = (linkedAccount: Record<string, unknown>) =>
    service.api("POST", "/api/v1/linked-accounts", { linkedAccount });
  const pay = (id: string) => service.control("POST", `/invoices/${id}/pay`, { method: "Card" });
  const createShared = (linkedAccountId: string) =>
    create({ collectionId: SHARED, invoiceBeneficiaries: [{ linkedAccountId, amount: REQUEST.amount }] });

  const paidId: string = (await dataOf(create({ title: "Paid", callBackUrl: receiver.url }))).id;
  await pay(paidId);
  const test = await dataOf(create({ title: "Of a Test key" }, TEST_KEY));
  const shared = await dataOf(createShared(ACCOUNT_A));
  const unpaidId: string = (await dataOf(create({ title: "Second term" }))).id;
  const created = await create({});
  const invalid = await dataOf(create({ title: "Invalid" }));
  const answers: Record<OperationName, Reply> = {
    getCollection: await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}`),
    listInvoices: await list(""),
    createInvoice: created,
    getInvoice: await read(created.body.data.id),
    invalidateInvoice: await invalidate(invalid.id),
    addLinkedAccount: await link({ bankId: 1, accountNumber: LINKED, isPrimary: false }),
    getBanks: await service.api("GET", "/api/v1/banks"),
  };
  await vi.waitFor(() => {
    if (receiver.received.length === 0) throw new Error("no callback yet");
  });
  const [{ body, ...sent } = { body: Buffer.from("{}"), method: "", url: "", headers: {} }] =
    receiver.received;

  return {
    answers,
    paidId,
    unpaidId,
    testId: test.id as string,
    invalidId: invalid.id as string,
    linkedNumber: LINKED,
    paid: await dataOf(read(paidId)),
    listedPaid: (await list("invoiceStatus=Paid")).body.data.items[0] as Body,
    test,
    shared,
    refused: await read("00000000-0000-4000-8000-00000000dead"),
    callback: { ...sent, body: JSON.parse(body.toString()) as Body },
    create,
    createShared,
    read,
    invalidate,
    list,
    link,
    pay,
    approve: (id: string) => service.control("POST", `/linked-accounts/${id}/approve`),
    accounts: async (): Promise<Body[]> =>
      (await service.control("GET", "/linked-accounts")).body.linkedAccounts,
    capital: () => service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/Invoices?InvoiceType=Live`),
    withoutKey: (name: OperationName) => {
      const [method, path] = API[name];
      return service.api(method, path.replace("{id}", unpaidId), method === "POST" ? {} : undefined, null);
    },
    /** Whether the first and the second account of a merchant who has none are primary. */
    async firstAccounts(): Promise<boolean[]> {
      const seed = JSON.parse(await readFile(DEFAULT_SEED_FILE, "utf8"));
      const fresh = await startTestService({ seed: { ...seed, linkedAccounts: [], collections: [] } });
      for (const accountNumber of ["1000000001", "1000000002"])
        await fresh.api("POST", "/api/v1/linked-accounts", {
          linkedAccount: { bankId: 1, accountNumber, isPrimary: false },
        });
      const { body: found } = await fresh.control("GET", "/linked-accounts");
      await fresh.close();
      return found.linkedAccounts.map((account: { isPrimary: boolean }) => account.isPrimary);
    },
    async close() {
      await service.close();
      await receiver.close();
    },
  };
}
