import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../../../src/platform/http/http-server.ts";
import {
  CollectionClient,
  type CollectionClientOptions,
} from "../../../src/provider/collection-api/index.ts";

export const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
export const CREATE = { collectionId: ID, title: "Dues", payerName: "Ada", payerEmail: "ada@example.com" };
/** What Get Invoice answers. */
export const INVOICE = { status: 200, message: "", data: { id: ID, status: "Paid", amount: 1 } };

interface Asked {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Text goes out as it stands, anything else as JSON. */
  body?: unknown;
}

/** Answers one request; or writes to the response itself and returns nothing. */
export type Handler = (
  asked: Asked,
  response: ServerResponse,
) => Answer | undefined | Promise<Answer | undefined>;

export type StubProvider = Awaited<ReturnType<typeof startStubProvider>>;

/** A provider of a few lines, over real HTTP. */
export async function startStubProvider(handler: Handler) {
  const asked: Asked[] = [];
  const server = await listen(
    async (request, response) => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: await text(request) };
      asked.push(one);
      const answer = await handler(one, response);
      if (answer === undefined) return;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    },
    { port: 0, host: "127.0.0.1", name: "stub provider" },
  );
  return {
    url: server.url,
    /** Every request so far. */
    asked: asked as readonly Asked[],
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

/** A stub provider and a client of it, both closed with the test. */
export async function withProvider(handler: Handler, options: Partial<CollectionClientOptions> = {}) {
  const provider = await startStubProvider(handler);
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key", ...options });
  onTestFinished(async () => {
    // A test may have closed it.
    await client.close().catch(() => undefined);
    await provider[Symbol.asyncDispose]();
  });
  return { provider, client };
}

/** A provider that fails some times, asking for no wait, and then answers with the invoice. */
export const fails = (times: number, status = 503): Handler => {
  let request = 0;
  return () =>
    request++ < times ? { status, headers: { "retry-after": "0" }, body: {} } : { body: INVOICE };
};
