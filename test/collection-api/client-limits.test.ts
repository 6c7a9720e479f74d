import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { CollectionClient } from "../../src/collection-api/index.ts";
import { type Handler, startStubProvider } from "./stub-provider.ts";
import { CREATE, fails, ID, INVOICE, withProvider } from "./with-provider.ts";

describe.concurrent("a time-out covers the whole answer", () => {
  it("an answer that drips is cut", () => {
    const handler: Handler = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
      return undefined;
    };
    return withProvider(handler, { timeoutMs: 150, retries: 0 }, async (client) => {
      await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "timeout", next: "retry" });
    });
  });

  it("waiting for a connection counts, and what was never sent stays unsent", () => {
    const arrived = Promise.withResolvers<void>();
    const handler: Handler = () => void arrived.resolve();
    return withProvider(handler, { connections: 1 }, async (client, provider) => {
      const stop = new AbortController();
      const first = client.getInvoice(ID, { signal: stop.signal });
      await arrived.promise;
      const second = client.createInvoice(CREATE, { timeoutMs: 100 });
      await expect(second).rejects.toMatchObject({ kind: "timeout", outcomeUnknown: false });
      stop.abort();
      await expect(first).rejects.toMatchObject({ kind: "aborted" });
      expect(provider.asked.map(({ method }) => method)).toEqual(["GET"]);
    });
  });
});

describe("an AbortSignal stops a call", () => {
  it("before it starts", () =>
    withProvider(fails(0), {}, async (client, provider) => {
      await expect(client.getInvoice(ID, { signal: AbortSignal.abort() })).rejects.toMatchObject({
        kind: "aborted",
      });
      expect(provider.asked).toHaveLength(0);
    }));

  it("while the provider thinks, and the connection is given up", async () => {
    const controller = new AbortController();
    const gone = Promise.withResolvers<void>();
    const handler: Handler = (_, response) => {
      response.on("close", gone.resolve);
      controller.abort();
      return undefined;
    };
    await withProvider(handler, {}, async (client, provider) => {
      const call = client.getInvoice(ID, { signal: controller.signal });
      await expect(call).rejects.toMatchObject({ kind: "aborted" });
      await gone.promise;
      expect(provider.asked).toHaveLength(1);
    });
  });

  it("while it waits to try again", async () => {
    const controller = new AbortController();
    const handler: Handler = (_, response) => {
      response.on("finish", () => setImmediate(() => controller.abort()));
      return { status: 429, headers: { "retry-after": "30" }, body: {} };
    };
    await withProvider(handler, {}, async (client, provider) => {
      const call = client.getInvoice(ID, { signal: controller.signal });
      await expect(call).rejects.toMatchObject({ kind: "aborted" });
      expect(provider.asked).toHaveLength(1);
    });
  });

  it("shared by a hundred calls, without a warning of a leak", async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on("warning", collect);
    await withProvider(fails(0), {}, async (client) => {
      const { signal } = new AbortController();
      await Promise.all(Array.from({ length: 100 }, () => client.getInvoice(ID, { signal })));
    });
    process.off("warning", collect);
    expect(warnings).toEqual([]);
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("%i is not followed, so that the key stays here", async (status) => {
    await using elsewhere = await startStubProvider(() => ({ body: INVOICE }));
    await withProvider(
      () => ({ status, headers: { location: `${elsewhere.url}/api/v1/invoices/${ID}` }, body: "" }),
      {},
      async (client) => {
        await expect(client.getInvoice(ID)).rejects.toMatchObject({
          kind: "redirected",
          next: "pause",
          status,
        });
        expect(elsewhere.asked).toEqual([]);
      },
    );
  });
});

describe("an answer over 1 MiB is refused", () => {
  it("while it is read: an endless one is cut", () => {
    const handler: Handler = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, " ")));
      };
      response.on("drain", more);
      more();
      return undefined;
    };
    return withProvider(handler, {}, async (client, provider) => {
      await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "too_large", next: "bury" });
      expect(provider.asked).toHaveLength(1);
    });
  });

  it("and one of 1 MiB to the byte is read", () => {
    const body = JSON.stringify(INVOICE);
    return withProvider(
      () => ({ body: body.padEnd(1_048_576) }),
      {},
      async (client) => {
        await expect(client.getInvoice(ID)).resolves.toMatchObject({ invoice: { id: ID } });
      },
    );
  });

  it("as are headers without end", () =>
    withProvider(
      () => ({ headers: { "x-long": "x".repeat(40_000) }, body: INVOICE }),
      {},
      async (client) => {
        await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "too_large" });
      },
    ));
});

describe("a counterpart that does not speak HTTP", () => {
  it("is unreachable", async () => {
    const server = createServer((socket) =>
      socket.on("error", () => {}).end("220 smtp.example.com ESMTP\r\n"),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const client = new CollectionClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key", retries: 0 });
    await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "unreachable", next: "retry" });
    await client.close();
    server.close();
  });
});

describe.concurrent("a client that is closed", () => {
  const closing = async (answer: Promise<{ body: unknown }>, graceMs: number, atClose = () => {}) => {
    await using provider = await startStubProvider(() => answer);
    const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key", retries: 0 });
    const call = client.getInvoice(ID, { timeoutMs: 600_000 }).catch((error) => error);
    await vi.waitFor(() => expect(provider.asked).toHaveLength(1));
    const closed = client.close(graceMs);
    atClose();
    await closed;
    return await call;
  };

  it("waits for what is under way", async () => {
    const { promise, resolve } = Promise.withResolvers<{ body: unknown }>();
    const answer = await closing(promise, 60_000, () => resolve({ body: INVOICE }));
    expect(answer).toMatchObject({ invoice: { id: ID } });
  });

  it("cuts it off after as long as it was told", async () => {
    expect(await closing(new Promise(() => {}), 100)).toMatchObject({ kind: "unreachable" });
  });
});
