import { describe, expect, it, vi } from "vitest";
import { CollectionClient } from "../../src/collection-api/index.ts";
import { type Handler, startStubProvider } from "./stub-provider.ts";
import { CREATE, fails, ID, INVOICE, withProvider } from "./with-provider.ts";

const LINK = { linkedAccount: { bankId: 1, accountNumber: "0123456789", isPrimary: false } };

describe("a read is tried again", () => {
  it("after a fault that may pass, as often as it is told", () =>
    withProvider(fails(2), { retries: 2 }, async (client, provider) => {
      await expect(client.getInvoice(ID)).resolves.toMatchObject({ invoice: { status: "Paid" } });
      expect(provider.asked).toHaveLength(3);
    }));

  it("and no oftener", () =>
    withProvider(fails(9, 429), { retries: 2 }, async (client, provider) => {
      await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "rate_limited" });
      expect(provider.asked).toHaveLength(3);
    }));

  it("not at all where the call says so", () =>
    withProvider(fails(1), { retries: 2 }, async (client, provider) => {
      await expect(client.getInvoice(ID, { retries: 0 })).rejects.toMatchObject({ kind: "server_fault" });
      expect(provider.asked).toHaveLength(1);
    }));

  it.each([400, 401, 404, 412])("not after HTTP %i, which does not pass by itself", (status) =>
    withProvider(fails(1, status), {}, async (client, provider) => {
      await expect(client.getInvoice(ID)).rejects.toMatchObject({ status });
      expect(provider.asked).toHaveLength(1);
    }),
  );

  it("not where the provider asks for a long wait: the caller is told how long", () =>
    withProvider(
      () => ({ status: 429, headers: { "retry-after": "3600" }, body: {} }),
      {},
      async (client, provider) => {
        await expect(client.getInvoice(ID)).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
        expect(provider.asked).toHaveLength(1);
      },
    ));

  it("after a connection that broke in the middle of the answer", () => {
    let request = 0;
    const handler: Handler = (_, response) => {
      if (request++ > 0) return { body: INVOICE };
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"status":200,', () => response.destroy());
      return undefined;
    };
    return withProvider(handler, { retries: 1 }, async (client, provider) => {
      await expect(client.getInvoice(ID)).resolves.toMatchObject({ invoice: { id: ID } });
      expect(provider.asked).toHaveLength(2);
    });
  });
});

describe.concurrent("a write is sent once, whatever comes back", () => {
  type Most = { retries: number; timeoutMs: number };
  const writes: [string, (client: CollectionClient, most: Most) => Promise<unknown>][] = [
    ["Create Invoice", (client, most) => client.createInvoice(CREATE, most)],
    ["Invalidate Invoice", (client, most) => client.invalidateInvoice(ID, most)],
    ["Add Linked Account", (client, most) => client.addLinkedAccount(LINK, most)],
  ];
  const answers: [string, Handler, timeoutMs: number][] = [
    ["503", () => ({ status: 503, body: {} }), 10_000],
    ["429", () => ({ status: 429, headers: { "retry-after": "0" }, body: {} }), 10_000],
    ["broken JSON", () => ({ body: "{" }), 10_000],
    ["a broken connection", (_, response) => void response.destroy(), 10_000],
    ["nothing in time", () => new Promise(() => {}), 200],
  ];
  /** Reads are answered: one of them opens the connection, so that a write leaves at once. */
  const onWrites =
    (handler: Handler): Handler =>
    (asked, response) =>
      asked.method === "GET" ? { body: INVOICE } : handler(asked, response);

  describe.each(writes)("%s", (_name, write) => {
    it.each(answers)("%s", (_answer, handler, timeoutMs) =>
      withProvider(onWrites(handler), {}, async (client, provider) => {
        await client.getInvoice(ID);
        await expect(write(client, { retries: 5, timeoutMs })).rejects.toMatchObject({
          name: "CollectionApiError",
        });
        // What takes too long may be given up before it leaves.
        if (timeoutMs < 1_000) expect(provider.asked.length).toBeLessThan(3);
        else await vi.waitFor(() => expect(provider.asked).toHaveLength(2));
      }),
    );
  });

  it("says that the outcome is unknown after a time-out", () =>
    withProvider(
      onWrites(() => new Promise(() => {})),
      {},
      async (client) => {
        await client.getInvoice(ID);
        const creating = client.createInvoice(CREATE, { timeoutMs: 1_000 });
        await expect(creating).rejects.toMatchObject({ kind: "timeout", outcomeUnknown: true, next: "bury" });
      },
    ));

  it("says that nothing was sent where nobody listens", async () => {
    const closed = await startStubProvider(() => ({ body: {} }));
    await closed[Symbol.asyncDispose]();
    const client = new CollectionClient({ baseUrl: closed.url, apiKey: "key" });
    await expect(client.createInvoice(CREATE)).rejects.toMatchObject({
      kind: "unreachable",
      outcomeUnknown: false,
      next: "retry",
    });
    await client.close();
  });
});
