import { text } from "node:stream/consumers";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { gatewayEvent } from "../../test/runtime/lambda/payloads.ts";
import { startServer } from "../../test/support/own-server.ts";
import type { RunningFunction } from "./functions.ts";

/** Gives every HTTP request to a function as an HTTP API would; moto's answers none. */
export async function startGateway(receive: RunningFunction) {
  const statuses: number[] = [];
  const server = await startServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://gateway");
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const event = gatewayEvent({
      method: request.method ?? "GET",
      path: pathname,
      query: search.slice(1),
      headers,
      body: await text(request),
    });
    const answer = await receive
      .invoke<APIGatewayProxyStructuredResultV2>(event)
      .catch((error: Error) => ({ statusCode: 502, body: error.message }));
    statuses.push(answer.statusCode ?? 0);
    response.writeHead(answer.statusCode ?? 502).end(answer.body);
  });
  return { ...server, statuses };
}
