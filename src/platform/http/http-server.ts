import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { RelayError } from "../errors/index.ts";

interface ListenOptions {
  /** 0 takes a free port. */
  port: number;
  /** The interface to listen on; all of them when left out. */
  host?: string;
  /** Names the program in the error that says that the port is taken. */
  name: string;
  server?: ServerOptions;
  /** More are closed at once; as many as come when left out. */
  maxConnections?: number;
  /** Called for each connection that is closed for being one too many, or for its unanswered requests. */
  onRefused?: () => void;
}

/** Resolves when it listens. @throws RelayError that names the port when it is taken or not allowed. */
export async function listen(handler: RequestListener, options: ListenOptions) {
  const { port: wanted, host, maxConnections, onRefused = () => undefined } = options;
  const server = createServer(options.server ?? {}, withFewUnanswered(handler, onRefused));
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  server.on("drop", onRefused);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${cause.code})`;
    const where = `${options.name}: port ${options.port}`;
    reject(new RelayError(`${where} ${why}. Choose another port, or stop that program.`, { cause }));
  });
  server.listen({ port: wanted, backlog: BACKLOG, ...(host !== undefined && { host }) }, resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    /** For callers on this machine. */
    url: `http://127.0.0.1:${port}`,
    /** Takes no new connections, lets the requests under way finish for `graceMs`, then cuts what is left. */
    close: (graceMs = 5_000) => close(server, graceMs),
  };
}

export type RunningServer = Awaited<ReturnType<typeof listen>>;

async function close(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await promise;
  clearTimeout(cut);
}

/**
 * Connections that may wait to be accepted, unless the kernel allows fewer (net.core.somaxconn). The kernel drops
 * the others, and their peers try again after 1, 3 or 7 s. Node's 511 are too few for a burst of callbacks.
 */
const BACKLOG = 4_096;

/** A peer is sent to a new connection, and so perhaps to another relay, after so many. */
const REQUESTS_PER_CONNECTION = 10_000;

/** Node handles all requests that a connection has sent at once, thousands maybe. */
const UNANSWERED_LIMIT = 16;

/** Closes a connection with more unanswered requests than the limit; of those behind them none is carried out. */
function withFewUnanswered(handler: RequestListener, onRefused: () => void): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > UNANSWERED_LIMIT) {
      onRefused();
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handler(request, response);
  };
}
