import { describe, expect, it, vi } from "vitest";
import { CREATE, type Handler, ID, INVOICE, startStubProvider, withProvider } from "./stub-provider.ts";

describe("a time-out covers the whole answer", () => {
  it("an answer that drips is cut", async () => {
    const { client } = await withProvider(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const drip = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(drip));
        return undefined;
      },
      { timeoutMs: 150 },
    );
    await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "timeout", next: "retry" });
  });

  it("waiting for a connection counts, and what was never sent stays unsent", async () => {
    const arrived = Promise.withResolvers<void>();
    const { client, provider } = await withProvider(
      () => (provider.asked.length === 1 ? void arrived.resolve() : { body: INVOICE }),
      { connections: 1 },
    );
    const stop = new AbortController();
    const first = client.getInvoice(ID, { signal: stop.signal });
    await arrived.promise;
    const second = client.createInvoice(CREATE, { timeoutMs: 100 });
    await expect(second).rejects.toMatchObject({ kind: "timeout", outcomeUnknown: false });
    stop.abort();
    await expect(first).rejects.toMatchObject({ kind: "aborted" });
    await client.getInvoice(ID);
    expect(provider.asked.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });
});

describe("an AbortSignal stops a call", () => {
  it("while the provider thinks, and the connection is given up", async () => {
    const stop = new AbortController();
    const gone = Promise.withResolvers<void>();
    const { client } = await withProvider((_, response) => {
      response.on("close", gone.resolve);
      stop.abort();
      return undefined;
    });
    await expect(client.getInvoice(ID, { signal: stop.signal })).rejects.toMatchObject({ kind: "aborted" });
    await gone.promise;
  });
});

it("a redirect is not followed, so that the key stays here", async () => {
  await using elsewhere = await startStubProvider(() => ({ body: INVOICE }));
  const location = `${elsewhere.url}/api/v1/invoices/${ID}`;
  const { client } = await withProvider(() => ({ status: 307, headers: { location }, body: "" }));
  await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "redirected", next: "pause" });
  expect(elsewhere.asked).toEqual([]);
});

describe("an answer over 1 MiB is refused (G8)", () => {
  const endless: Handler = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, " ")));
    };
    response.on("drain", more);
    more();
    return undefined;
  };

  it.each<[string, Handler]>([
    ["while it is read: an endless one is cut", endless],
    ["as are headers without end", () => ({ headers: { "x-long": "x".repeat(40_000) }, body: INVOICE })],
  ])("%s", async (_, handler) => {
    const { client, provider } = await withProvider(handler);
    await expect(client.getInvoice(ID)).rejects.toMatchObject({ kind: "too_large", next: "bury" });
    expect(provider.asked).toHaveLength(1);
  });

  it("and one of 1 MiB to the byte is read", async () => {
    const { client } = await withProvider(() => ({ body: JSON.stringify(INVOICE).padEnd(1_048_576) }));
    await expect(client.getInvoice(ID)).resolves.toMatchObject({ invoice: { id: ID } });
  });
});

it.each([
  ["waits for what is under way", 60_000, { invoice: { id: ID } }],
  ["cuts it off after as long as it was told", 100, { kind: "unreachable" }],
])("a client that is closed %s", async (_, graceMs, outcome) => {
  const answer = Promise.withResolvers<{ body: unknown }>();
  const { client, provider } = await withProvider(() => answer.promise);
  const call = client.getInvoice(ID, { timeoutMs: 600_000 }).catch((error) => error);
  await vi.waitFor(() => expect(provider.asked).toHaveLength(1));
  const closed = client.close(graceMs);
  if ("invoice" in outcome) answer.resolve({ body: INVOICE });
  await closed;
  expect(await call).toMatchObject(outcome);
});
