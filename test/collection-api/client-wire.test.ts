import { describe, expect, it } from "vitest";
import { CollectionClient, type CollectionClientOptions } from "../../src/collection-api/index.ts";
import { CREATE, fails, ID, withProvider } from "./with-provider.ts";

describe("what goes over the wire", () => {
  it("connections are kept and used again", () =>
    withProvider(fails(0), { connections: 2 }, async (client, provider) => {
      for (let round = 0; round < 5; round += 1)
        await Promise.all(Array.from({ length: 8 }, () => client.getInvoice(ID)));
      expect(provider.asked).toHaveLength(40);
      expect(provider.connections()).toBeLessThanOrEqual(2);
    }));

  it("the key goes in x-api-key, no encoding is asked for, and a base URL may hold a path", () =>
    withProvider(fails(0), {}, async (_, provider) => {
      const client = new CollectionClient({ baseUrl: `${provider.url}/base/`, apiKey: "key" });
      await client.getInvoice(ID.toUpperCase());
      await client.close();
      expect(provider.asked[0]).toMatchObject({
        method: "GET",
        url: `/base/api/v1/invoices/${ID}`,
        headers: { "x-api-key": "key", accept: "application/json" },
      });
      expect(provider.asked[0]?.headers).not.toHaveProperty("accept-encoding");
    }));

  it.each(["/api/v1", "/api/v1/", "/base/API/v1"])(
    "a base URL may end in %s, as it is often copied",
    (path) =>
      withProvider(fails(0), {}, async (_, provider) => {
        const client = new CollectionClient({ baseUrl: `${provider.url}${path}`, apiKey: "key" });
        await client.getInvoice(ID);
        await client.close();
        expect(provider.asked[0]?.url).toBe(
          `${path.startsWith("/base") ? "/base" : ""}/api/v1/invoices/${ID}`,
        );
      }),
  );

  it("the list's filter goes in the query, escaped", () =>
    withProvider(
      () => ({ body: { status: "success", data: { items: [] } } }),
      {},
      async (client, provider) => {
        await client.listInvoices(ID, {
          search: "a&page=9 é",
          invoiceStatus: "Paid",
          startDate: "2024-02-29",
        });
        const url = new URL(provider.asked[0]?.url ?? "", provider.url);
        expect(url.pathname).toBe(`/api/v1/collections/${ID}/invoices`);
        expect(Object.fromEntries(url.searchParams)).toEqual({
          search: "a&page=9 é",
          invoiceStatus: "Paid",
          startDate: "2024-02-29",
        });
      },
    ));

  it("Get Banks is asked for where the option says", () =>
    withProvider(
      () => ({ body: { status: "success", data: { items: [{ id: "7", name: "Bank" }] } } }),
      { banksPath: "/api/v2/settlement-banks" },
      async (client, provider) => {
        expect(await client.getBanks()).toMatchObject([{ id: 7, name: "Bank" }]);
        expect(provider.asked[0]?.url).toBe("/api/v2/settlement-banks");
      },
    ));

  it("amounts go as JSON numbers with every digit, what is not given is left out", () =>
    withProvider(fails(0), {}, async (client, provider) => {
      const beneficiaries = [{ linkedAccountId: ID, amount: "9007199254740993.25" }];
      await client.createInvoice({
        ...CREATE,
        amount: "9007199254740993.25",
        invoiceBeneficiaries: beneficiaries,
      });
      expect(provider.asked[0]?.body).toContain('"amount":9007199254740993.25,');
      expect(provider.asked[0]?.body).toContain(`[{"linkedAccountId":"${ID}","amount":9007199254740993.25}]`);
      expect(provider.asked[0]?.body).not.toContain("null");
      expect(provider.asked[0]?.headers["content-type"]).toBe("application/json");
    }));

  it("Invalidate Invoice has no body", () =>
    withProvider(
      () => ({ body: { status: "success", message: "Done" } }),
      {},
      async (client, provider) => {
        expect(await client.invalidateInvoice(ID)).toEqual({ message: "Done" });
        expect(provider.asked[0]).toMatchObject({ url: `/api/v1/invoices/${ID}/invalidate`, body: "" });
      },
    ));
});

describe("Create Invoice fills in the relay's callback URL", () => {
  const RELAY = "https://relay.example.com/callbacks/token";
  const sent = async (
    callbackUrl: CollectionClientOptions["callbackUrl"],
    reference?: string,
    callBackUrl?: string,
  ) => {
    let body: { callBackUrl?: string } = {};
    await withProvider(fails(0), { callbackUrl }, async (client, provider) => {
      await client.createInvoice({ ...CREATE, callBackUrl }, { reference });
      body = JSON.parse(provider.asked[0]?.body ?? "{}");
    });
    return body.callBackUrl;
  };

  it("as it is", async () => expect(await sent(RELAY)).toBe(RELAY));
  it("with the reference as the last part of its path, escaped", async () =>
    expect(await sent(RELAY, "order/7 ä")).toBe(`${RELAY}/order%2F7%20%C3%A4`));
  it("or as the function makes it", async () =>
    expect(await sent((reference) => `${RELAY}/r-${reference}`, "7")).toBe(`${RELAY}/r-7`));
  it("but not where the request brings its own", async () =>
    expect(await sent(RELAY, "7", "https://example.com/own")).toBe("https://example.com/own"));
  it("and sends none where neither has one", async () => expect(await sent(undefined, "7")).toBeUndefined());
});
