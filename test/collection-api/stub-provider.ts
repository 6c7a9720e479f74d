import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../../src/kit/http-server.ts";

export interface Asked {
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
  let connections = 0;
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
  server.server.on("connection", () => {
    connections += 1;
  });
  return {
    url: server.url,
    port: server.port,
    /** Every request so far. */
    asked: asked as readonly Asked[],
    /** How many connections were opened. */
    connections: () => connections,
    [Symbol.asyncDispose]: () => server.close(0),
  };
}
