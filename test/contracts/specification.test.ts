import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSeed } from "../../src/sandbox/provider/seed.ts";
import {
  ACCOUNT_A,
  LIVE_KEY,
  NOBODY,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startReceiver,
  startTestService,
  TEST_KEY,
} from "../sandbox/provider/service-fixture.ts";

// The collection service by the interface's specification. Nothing of our contract is used: the expectations are
// typed from the specification, or stand in recorded-answers/. Filters of the list and bad input are held in
// test/sandbox/provider.

/** The specification's own Create Invoice request, with every field that an open collection takes. */
const REQUEST = {
  title: "First term",
  payerName: "Ada Obi",
  payerEmail: "ada@example.com",
  payerPhoneNumber: "+2348012345678",
  billerMetaData: { house: "1" },
  amount: 40_000,
  callBackUrl: "https://merchant.example/callbacks/token",
};

const INVOICES = "/api/v1/invoices";
const COLLECTION = `/api/v1/collections/${OPEN_AMOUNT}`;
const ACCOUNTS = "/api/v1/linked-accounts";
const BANKS = "/api/v1/banks";

/** The interface's own values: they are compared as they stand, all other values by their form. */
const WORDS = [
  ...["Paid", "Unpaid", "Live", "Card", "BankTransfer", "Payer", "Instant", "OneDay", "Active"],
  ...[
    "Invoice with the given Id does not exist",
    "The invoice has already been paid or is no longer valid",
    "success",
  ],
];
const FORMS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  "ISO 8601, UTC": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  url: /^https?:\/\//,
};

/** The same document with the form of each value in its place; of a list of objects the first, errors of any number. */
function formOf(value: unknown, name = ""): unknown {
  if (name === "errors" && Array.isArray(value)) return value.every((one) => typeof one === "string");
  if (Array.isArray(value))
    return typeof value[0] === "object" ? [formOf(value[0])] : value.map((one) => formOf(one));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, formOf(one, name)]));
  if (typeof value !== "string") return value === null ? null : typeof value;
  if (WORDS.includes(value)) return value;
  return Object.keys(FORMS).find((form) => FORMS[form]?.test(value)) ?? "text";
}

const [service, receiver] = [await startTestService(), await startReceiver()];
afterAll(() => Promise.all([service.close(), receiver.close()]));

describe("the collection service, by the specification", () => {
  let paidId: string;
  beforeAll(async () => {
    paidId = await created({ callBackUrl: receiver.url });
    await pay(paidId);
  });

  const get = (path: string, key = LIVE_KEY) => service.api("GET", path, undefined, key);
  const create = (more = {}, key = LIVE_KEY) =>
    service.api("POST", INVOICES, { collectionId: OPEN_AMOUNT, ...REQUEST, ...more }, key);
  const created = async (more = {}, key = LIVE_KEY): Promise<string> =>
    (await create(more, key)).body.data.id;
  const read = async (id: string) => (await get(`${INVOICES}/${id}`)).body.data;
  const pay = (id: string) => service.control("POST", `/invoices/${id}/pay`, { method: "Card" });
  const invalidate = (id: string, key = LIVE_KEY) =>
    service.api("POST", `${INVOICES}/${id}/invalidate`, undefined, key);
  const link = (accountNumber: string, isPrimary = false, bankId = 1, to = service) =>
    to.api("POST", ACCOUNTS, { linkedAccount: { bankId, accountNumber, isPrimary } });
  const accounts = async (of = service) =>
    (await of.control("GET", "/linked-accounts")).body.linkedAccounts as Record<string, unknown>[];

  it.each<[file: string, status: number, call: () => Promise<Reply>]>([
    ["get-collection", 200, () => get(COLLECTION)],
    ["list-invoices-paid", 200, () => get(`${COLLECTION}/invoices?invoiceStatus=Paid`)],
    ["create-invoice", 200, () => create()],
    ["get-invoice-unpaid", 200, async () => get(`${INVOICES}/${await created()}`)],
    ["get-invoice-paid", 200, () => get(`${INVOICES}/${paidId}`)],
    ["get-invoice-unknown", 404, () => get(`${INVOICES}/${NOBODY}`)],
    ["invalidate-invoice", 200, async () => invalidate(await created())],
    ["get-invoice-unknown", 404, () => invalidate(NOBODY)],
    ["invalidate-invoice-refused", 412, () => invalidate(paidId)],
    ["add-linked-account", 201, () => link("6000000001")],
    ["add-linked-account-refused", 400, () => link("6000000002", false, 999)],
    ["get-banks", 200, () => get(BANKS)],
  ])("answers as recorded in %s, under HTTP %d", async (file, status, call) => {
    const recorded = JSON.parse(
      readFileSync(new URL(`recorded-answers/${file}.json`, import.meta.url), "utf8"),
    );
    const reply = await call();
    expect([reply.status, reply.body.status]).toEqual([status, recorded.status]);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(formOf(reply.body)).toEqual(formOf(recorded));
  });

  it.each([
    ["GET", COLLECTION],
    ["GET", `${COLLECTION}/invoices`],
    ["POST", INVOICES],
    ["GET", `${INVOICES}/${NOBODY}`],
    ["POST", `${INVOICES}/${NOBODY}/invalidate`],
    ["POST", ACCOUNTS],
    ["GET", BANKS],
  ])("%s %s takes nothing without a key, nor with a bad one", async (method, path) => {
    for (const key of [null, "bad"])
      expect((await service.api(method, path, method === "POST" ? {} : undefined, key)).status).toBe(401);
  });

  it("keeps what Create Invoice was sent, and adds fee and tax for the payer", async () => {
    const invoice = await read(await created());
    expect(invoice).toMatchObject({ ...REQUEST, settleableAmount: REQUEST.amount });
    expect(invoice.totalAmount).toBeCloseTo(invoice.amount + invoice.serviceCharge + invoice.vat, 3);
    const invoiceBeneficiaries = [{ linkedAccountId: ACCOUNT_A, amount: REQUEST.amount }];
    const shared = await created({ collectionId: SHARED, invoiceBeneficiaries });
    expect(await read(shared)).toMatchObject({ invoiceBeneficiaries });
  });

  it("an invalid invoice can neither be paid nor be made invalid again", async () => {
    const id = await created();
    await invalidate(id);
    expect((await read(id)).status).toBe("Invalidated");
    expect([(await pay(id)).status, (await invalidate(id)).status]).toEqual([412, 412]);
  });

  it("a Test key makes Test invoices, and has no say over Live ones", async () => {
    const rehearsal = await created({}, TEST_KEY);
    expect((await read(rehearsal)).type).toBe("Test");
    expect((await invalidate(await created(), TEST_KEY)).status).toBe(403);
    // Nothing Live comes of the reverse (docs/collection-api.md).
    expect((await invalidate(rehearsal)).status).toBe(200);
  });

  it("a linked account is Pending and shares in nothing until it is approved", async () => {
    await link("7000000001");
    const account = (await accounts()).find((one) => one.accountNumber === "7000000001");
    expect(account?.status).toBe("Pending");
    const invoiceBeneficiaries = [{ linkedAccountId: account?.id, amount: REQUEST.amount }];
    const share = () => create({ collectionId: SHARED, invoiceBeneficiaries });
    expect((await share()).status).toBe(412);
    await service.control("POST", `/linked-accounts/${account?.id}/approve`);
    expect((await share()).status).toBe(200);
  });

  it("the first linked account becomes primary, and one that is said to be takes its place", async () => {
    const seed = { ...(await readSeed()), linkedAccounts: [], collections: [] };
    const fresh = await startTestService({ seed });
    const primary = async () =>
      (await accounts(fresh)).filter((one) => one.isPrimary).map((one) => one.accountNumber);
    for (const bank of (await fresh.api("GET", BANKS)).body.data)
      expect((await link(`800000000${bank.id}`, false, bank.id, fresh)).status).toBe(201);
    expect(await primary()).toEqual(["8000000001"]);
    await link("8000000009", true, 1, fresh);
    expect(await primary()).toEqual(["8000000009"]);
    await fresh.close();
  });

  it("a payment is called back as part B says: signed by nobody, about the invoice in data.id", async () => {
    await expect.poll(() => receiver.received.length).toBe(1);
    const [{ method, url, headers, body } = {} as never] = receiver.received;
    expect([method, url, headers["content-type"], headers["user-agent"]]).toEqual([
      ...["POST", "/callbacks/merchant", "application/json", "Tranzakt-Payment-Platform/1.0"],
    ]);
    expect(headers["x-webhook-id"]).toMatch(FORMS.uuid as RegExp);
    expect(Object.keys(headers).filter((name) => /sign/i.test(name))).toEqual([]);
    const callback = JSON.parse(body.toString());
    expect([callback.event, callback.id === paidId, callback.data.id]).toEqual([
      ...["payment.successful", false, paidId],
    ]);
    expect(formOf(callback)).toMatchObject({
      ...{ id: "uuid", createdAt: "ISO 8601, UTC" },
      data: {
        ...{ collectionId: "uuid", status: "Paid", type: "Live", totalAmount: "number" },
        ...{ paymentDate: "ISO 8601, UTC", billerMetaData: { house: "text" } },
      },
    });
  });
});
