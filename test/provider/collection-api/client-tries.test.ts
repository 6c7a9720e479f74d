import { describe, expect, it } from "vitest";
import { CollectionClient } from "../../../src/provider/collection-api/index.ts";
import {
  CREATE,
  fails,
  type Handler,
  ID,
  INVOICE,
  startStubProvider,
  withProvider,
} from "./stub-provider.ts";

describe("a read is tried again", () => {
  it("after a fault that may pass, as often as it is told and no oftener", async () => {
    const well = await withProvider(fails(2), { retries: 2 });
    await expect(well.client.getInvoice(ID)).resolves.toMatchObject({ invoice: { status: "Paid" } });
    expect(well.provider.asked).toHaveLength(3);
    const limited = await withProvider(fails(9, 429), { retries: 2 });
    await expect(limited.client.getInvoice(ID)).rejects.toMatchObject({ kind: "rate_limited" });
    expect(limited.provider.asked).toHaveLength(3);
  });

  it("not where the provider asks for a long wait: the caller is told how long", async () => {
    const headers = { "retry-after": "3600" };
    const { client, provider } = await withProvider(() => ({ status: 429, headers, body: {} }));
    await expect(client.getInvoice(ID)).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    expect(provider.asked).toHaveLength(1);
  });

  it("after a connection that broke in the middle of the answer", async () => {
    let request = 0;
    const { client, provider } = await withProvider((_, response) => {
      if (request++ > 0) return { body: INVOICE };
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"status":200,', () => response.destroy());
      return undefined;
    });
    await expect(client.getInvoice(ID)).resolves.toMatchObject({ invoice: { id: ID } });
    expect(provider.asked).toHaveLength(2);
  });
});

describe("a write is sent once, whatever comes back", () => {
  const LINK = { linkedAccount: { bankId: 1, accountNumber: "0123456789", isPrimary: false } };
  type Write = (
    client: CollectionClient,
    options: { retries: number; timeoutMs: number },
  ) => Promise<unknown>;
  const create: Write = (client, options) => client.createInvoice(CREATE, options);
  const silent: Handler = () => new Promise(() => {});

  it.each<[string, Write, Handler, outcomeUnknown: boolean]>([
    ["Create Invoice: 503", create, () => ({ status: 503, body: {} }), true],
    ["Create Invoice: broken JSON", create, () => ({ body: "{" }), true],
    ["Create Invoice: a broken connection", create, (_, response) => void response.destroy(), true],
    ["Create Invoice: nothing in time", create, silent, true],
    ["Create Invoice: outside the contract", create, () => ({ body: { status: 200, data: {} } }), true],
    ["Create Invoice: 400", create, fails(9, 400), false],
    ["Invalidate Invoice: 503", (client, options) => client.invalidateInvoice(ID, options), fails(9), true],
    ["Add Linked Account: 503", (client, options) => client.addLinkedAccount(LINK, options), fails(9), true],
  ])("%s", async (_, write, handler, outcomeUnknown) => {
    // A read opens the connection, so that the write leaves at once.
    const { client, provider } = await withProvider((asked, response) =>
      asked.method === "GET" ? { body: INVOICE } : handler(asked, response),
    );
    await client.getInvoice(ID);
    const writing = write(client, { retries: 5, timeoutMs: handler === silent ? 1_000 : 20_000 });
    await expect(writing).rejects.toMatchObject({ outcomeUnknown, ...(outcomeUnknown && { next: "bury" }) });
    expect(provider.asked).toHaveLength(2);
  });

  it("says that nothing was sent where nobody listens", async () => {
    const closed = await startStubProvider(() => ({ body: {} }));
    await closed[Symbol.asyncDispose]();
    const client = new CollectionClient({ baseUrl: closed.url, apiKey: "key" });
    const unsent = { kind: "unreachable", outcomeUnknown: false, next: "retry" };
    await expect(client.createInvoice(CREATE)).rejects.toMatchObject(unsent);
    await client.close();
  });
});
