import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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
