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

it("a long wait that the provider asks for is reported to the caller", async () => {
  const headers = { "retry-after": "3600" };
  const { client, provider } = await withProvider(() => ({ status: 429, headers, body: {} }));
  await expect(client.getInvoice(ID)).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  expect(provider.asked).toHaveLength(1);
});

describe("a write is sent once, whatever comes back", () => {
  const LINK = { linkedAccount: { bankId: 1, accountNumber: "0123456789", isPrimary: false } };
  type Write = (client: CollectionClient, options: { timeoutMs: number }) => Promise<unknown>;
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
    const writing = write(client, { timeoutMs: handler === silent ? 1_000 : 20_000 });
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
