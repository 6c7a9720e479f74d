import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface OwnServer {
  url: string;
  port: number;
  /** Hangs up on whoever waits. */
  close(): Promise<void>;
}

/** An HTTP server on a free port of this machine. A client that its test ends in the middle of a request is no fault. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<OwnServer> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      if (error !== request.errored) throw error;
    }
  });
  // Node's own 5 s would cut a connection just as a client uses it again.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A server that keeps each request that it gets. @param statusOf what it answers; 200 when left out */
export async function startReceiver(
  statusOf: (received: Received) => number | Promise<number> = () => 200,
): Promise<OwnServer & { received: Received[] }> {
  const received: Received[] = [];
  const server = await startServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: await buffer(request) };
    received.push(one);
    response.writeHead(await statusOf(one)).end("ok");
  });
  return { ...server, received };
}
