import { describe, expect, it } from "vitest";
import { CollectionClient } from "../../../src/provider/collection-api/index.ts";
import { CREATE, fails, ID, withProvider } from "./stub-provider.ts";

describe("what goes over the wire", () => {
  it.each([
    ["/base/", "/base"],
    ["/api/v1/", ""],
    ["/base/API/v1", "/base"],
  ])("a base URL may hold a path, and end as it is often copied: %s", async (path, prefix) => {
    const { provider } = await withProvider(fails(0));
    const client = new CollectionClient({ baseUrl: `${provider.url}${path}`, apiKey: "key" });
    await client.getInvoice(ID.toUpperCase());
    await client.close();
    const [asked] = provider.asked;
    expect(asked).toMatchObject({ method: "GET", url: `${prefix}/api/v1/invoices/${ID}` });
    expect(asked?.headers).toMatchObject({ "x-api-key": "key", accept: "application/json" });
    expect(asked?.headers).not.toHaveProperty("accept-encoding");
  });

  it("the list's filter goes in the query, escaped", async () => {
    const { client, provider } = await withProvider(() => ({ body: { status: 200, data: { items: [] } } }));
    const filter = { search: "a&page=9 é", invoiceStatus: "Paid", startDate: "2024-02-29" };
    await client.listInvoices(ID, filter);
    const url = new URL(provider.asked[0]?.url ?? "", provider.url);
    expect(url.pathname).toBe(`/api/v1/collections/${ID}/invoices`);
    expect(Object.fromEntries(url.searchParams)).toEqual(filter);
  });

  it("Get Banks is asked for where the option says", async () => {
    const body = { status: "success", data: { items: [{ id: "7", name: "Bank" }] } };
    const banksPath = "/api/v2/settlement-banks";
    const { client, provider } = await withProvider(() => ({ body }), { banksPath });
    expect(await client.getBanks()).toMatchObject([{ id: 7, name: "Bank" }]);
    expect(provider.asked[0]?.url).toBe(banksPath);
  });

  it("amounts go as JSON numbers with every digit, what is not given is left out", async () => {
    const amount = "9007199254740993.25";
    const { client, provider } = await withProvider(fails(0));
    const invoiceBeneficiaries = [{ linkedAccountId: ID, amount }];
    await client.createInvoice({ ...CREATE, amount, invoiceBeneficiaries });
    const [{ body, headers } = { body: "", headers: {} }] = provider.asked;
    expect(body).toContain(`"amount":${amount},`);
    expect(body).toContain(`[{"linkedAccountId":"${ID}","amount":${amount}}]`);
    expect(body).not.toContain("null");
    expect(headers["content-type"]).toBe("application/json");
  });
});
