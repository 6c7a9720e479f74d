import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { CollectionClient, type CollectionClientOptions } from "../../src/collection-api/index.ts";
import { type Handler, type StubProvider, startStubProvider } from "./stub-provider.ts";

const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const INVOICE = { status: 200, message: "", data: { id: ID, status: "Paid", amount: 1 } };
const CREATE = { collectionId: ID, title: "Dues", payerName: "Ada", payerEmail: "ada@example.com" };
const LINK = { linkedAccount: { bankId: 1, accountNumber: "0123456789", isPrimary: false } };

async function withProvider(
  handler: Handler,
  options: Partial<CollectionClientOptions>,
  test: (client: CollectionClient, provider: StubProvider) => Promise<void>,
): Promise<void> {
  await using provider = await startStubProvider(handler);
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key", ...options });
  try {
    await test(client, provider);
  } finally {
    await client.close();
  }
}

const fails = (times: number, status = 503): Handler => {
  let request = 0;
  return () =>
    request++ < times ? { status, headers: { "retry-after": "0" }, body: {} } : { body: INVOICE };
};

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

describe("a write is sent once, whatever comes back", () => {
  const writes: [string, (client: CollectionClient) => Promise<unknown>][] = [
    ["Create Invoice", (client) => client.createInvoice(CREATE, { retries: 5 })],
    ["Invalidate Invoice", (client) => client.invalidateInvoice(ID, { retries: 5 })],
    ["Add Linked Account", (client) => client.addLinkedAccount(LINK, { retries: 5 })],
  ];
  const answers: [string, Handler][] = [
    ["503", () => ({ status: 503, body: {} })],
    ["429", () => ({ status: 429, headers: { "retry-after": "0" }, body: {} })],
    ["broken JSON", () => ({ body: "{" })],
    ["a broken connection", (_, response) => void response.destroy()],
    ["nothing in time", () => new Promise(() => {})],
  ];

  describe.each(writes)("%s", (_name, write) => {
    it.each(answers)("%s", (_answer, handler) =>
      withProvider(handler, { timeoutMs: 200 }, async (client, provider) => {
        await expect(write(client)).rejects.toMatchObject({ name: "CollectionApiError" });
        expect(provider.asked).toHaveLength(1);
      }),
    );
  });

  it("says that the outcome is unknown after a time-out", () =>
    withProvider(
      () => new Promise(() => {}),
      { timeoutMs: 100 },
      async (client) => {
        const creating = client.createInvoice(CREATE);
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

describe("a time-out covers the whole answer", () => {
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

  it("waiting for a connection counts, and what was never sent stays unsent", () =>
    withProvider(
      () => new Promise(() => {}),
      { connections: 1 },
      async (client, provider) => {
        const first = client.getInvoice(ID, { timeoutMs: 400, retries: 0 });
        const second = client.createInvoice(CREATE, { timeoutMs: 100 });
        await expect(second).rejects.toMatchObject({ kind: "timeout", outcomeUnknown: false });
        await expect(first).rejects.toMatchObject({ kind: "timeout" });
        expect(provider.asked.map(({ method }) => method)).toEqual(["GET"]);
      },
    ));
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

  it("in the middle of a list", () =>
    withProvider(
      ({ url }) => {
        const page = Number(new URL(url, "http://stub").searchParams.get("page"));
        const data = { items: [{ id: `invoice-${page}` }], totalCount: 100, hasNextPage: true };
        return { body: { status: "success", data } };
      },
      {},
      async (client, provider) => {
        const controller = new AbortController();
        const reading = async () => {
          for await (const _ of client.iterateInvoices(ID, {}, { signal: controller.signal }))
            if (provider.asked.length === 3) controller.abort();
        };
        await expect(reading()).rejects.toMatchObject({ kind: "aborted" });
        expect(provider.asked).toHaveLength(3);
      },
    ));

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

describe("a counterpart that does not speak HTTP", () => {
  it("is unreachable", async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      socket.end("220 smtp.example.com ESMTP\r\n");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const client = new CollectionClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key", retries: 0 });
    await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "unreachable", next: "retry" });
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
