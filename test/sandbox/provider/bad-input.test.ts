import { afterAll, describe, expect, it } from "vitest";
import { runOn } from "../../support/postgres-server.ts";
import {
  ACCOUNT_A,
  DISABLED,
  FIXED_AMOUNT,
  INVOICE,
  NOBODY,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startTestService,
} from "./service-fixture.ts";

const share = (linkedAccountId: string, amount: number) => ({ linkedAccountId, amount });
const shared = (...invoiceBeneficiaries: object[]) => ({ collectionId: SHARED, invoiceBeneficiaries });
const LIST = `/api/v1/collections/${OPEN_AMOUNT}/invoices`;
const LINK = "/api/v1/linked-accounts";

const service = await startTestService();
afterAll(service.close);

describe("bad input is a clear 4xx with the field's name, and leaves nothing behind", () => {
  const rows = () =>
    runOn(
      service.database.url,
      `select (select count(*) from collection_service.invoice) as invoices,
        (select count(*) from collection_service.linked_account) as accounts`,
    );
  const refused = async (calling: () => Promise<Reply>, status: number, field: string) => {
    const before = await rows();
    const reply = await calling();
    expect(reply.status, reply.text).toBe(status);
    const type = expect.stringMatching(/^[A-Z_]+$/);
    expect(reply.body).toEqual({ status, message: expect.any(String), type, errors: expect.any(Array) });
    expect(reply.body.errors.join("\n")).toContain(field);
    expect(await rows()).toEqual(before);
  };
  const post = (body: unknown) => service.api("POST", "/api/v1/invoices", body);

  // One of those that test/provider/collection-api/bad-input.test.ts holds for the request's schema, and each that only
  // the service can know.
  it.each<[string, Record<string, unknown>, string, number?]>([
    ["a NUL in a name", { payerName: "a\0b" }, "payerName"],
    ["__proto__ in metadata", { billerMetaData: JSON.parse('{"__proto__":"x"}') }, "billerMetaData"],
    ["an unknown collection", { collectionId: NOBODY }, "collectionId", 404],
    ["a disabled collection", { collectionId: DISABLED }, "collectionId", 403],
    ["no amount in a collection without one", { amount: null }, "amount"],
    ["an amount in a collection that has one", { collectionId: FIXED_AMOUNT }, "amount"],
    ["shares beside accounts", { invoiceBeneficiaries: [share(ACCOUNT_A, 1500.5)] }, "Beneficiaries"],
    ["no shares where there are no accounts", { collectionId: SHARED }, "invoiceBeneficiaries"],
    ["shares below the amount", shared(share(ACCOUNT_A, 1000)), "invoiceBeneficiaries"],
    ["a share of nobody", shared(share(NOBODY, 1500.5)), "invoiceBeneficiaries[0].linkedAccountId"],
    [
      "an account named twice",
      shared(share(ACCOUNT_A, 1000.5), share(ACCOUNT_A.toUpperCase(), 500)),
      "invoiceBeneficiaries[1].linkedAccountId",
    ],
  ])("Create Invoice: %s", async (_what, fields, field, status = 400) => {
    await refused(() => post({ ...INVOICE, ...fields }), status, field);
  });

  it.each([
    ["no JSON", "{", 400, "body"],
    ["a body of 300 KB", JSON.stringify({ ...INVOICE, title: "x".repeat(300_000) }), 413, "body"],
  ])("Create Invoice: a body that is %s", async (_what, body, status, field) => {
    await refused(() => post(body), status, field);
  });

  it.each([
    ["GET", "/api/v1/invoices/12", 400, "id"],
    ["POST", `/api/v1/invoices/${NOBODY}/invalidate`, 404, "id"],
    ["GET", `/api/v1/collections/${NOBODY}/invoices`, 404, "id"],
    // What test/provider/collection-api/bad-input.test.ts does not hold for the filter's schema.
    ["GET", `${LIST}?invoiceStatus=Lost`, 400, "invoiceStatus"],
    ["GET", `${LIST}?invoiceStaus=Paid`, 400, "invoiceStaus"],
    ["POST", LINK, 400, "bankId", { linkedAccount: { bankId: 999, accountNumber: "1111111111" } }],
    ["POST", LINK, 400, "accountNumber", { linkedAccount: { bankId: 1, accountNumber: "0123456789" } }],
  ])("%s %s: %d, about %s", async (method, path, status, field, body?: unknown) => {
    await refused(() => service.api(method, path, body), status, field);
  });

  it("an unknown address and a wrong method are 4xx too", async () => {
    const notFound = { status: 404, type: "NOT_FOUND", errors: [] };
    for (const path of ["/api/v1/nothing", "/nothing", "/_control/nothing"])
      expect((await service.api("GET", path)).body).toMatchObject(notFound);
    expect((await service.control("PUT", "/faults", "{")).status).toBe(400);
    const wrong = await service.api("DELETE", `/api/v1/invoices/${NOBODY}`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
