import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { RelayError } from "./errors.ts";
import { hangUpOnStalled, STALL_LIMIT, type StallLimit } from "./hang-up-on-stalled.ts";
import { type HangUpReason, type QuietConnections, takeOneByOne } from "./one-request-at-a-time.ts";

export interface RunningServer {
  readonly server: Server;
  readonly quiet: QuietConnections;
  readonly port: number;
  /** `http://127.0.0.1:<port>`, for callers on this machine. */
  readonly url: string;
  /** Takes no new connections, lets the requests under way finish for `graceMs`, then cuts what is left. */
  close(graceMs?: number): Promise<void>;
}

export interface ListenOptions {
  /** 0 takes a free port. */
  port: number;
  /** The interface to listen on; all of them when left out. */
  host?: string;
  /** Names the program in the error that says that the port is taken. */
  name: string;
  server?: ServerOptions;
  /** When a peer that does not read is hung up on; `STALL_LIMIT` by default. */
  stall?: StallLimit;
  /** Told of each connection that is ended for what its peer did, or left undone. */
  onHangUp?: (reason: HangUpReason) => void;
}

/**
 * Starts an HTTP server and resolves when it listens.
 * @throws RelayError that names the port when it is taken or not allowed.
 */
export function listen(handler: RequestListener, options: ListenOptions): Promise<RunningServer> {
  const server = createServer(options.server ?? {});
  const onHangUp = options.onHangUp ?? (() => undefined);
  const quiet = takeOneByOne(server, handler, onHangUp);
  hangUpOnStalled(server, options.stall ?? STALL_LIMIT, () => onHangUp("stalled"));
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${cause.code})`;
      const where = `${options.name}: port ${options.port}`;
      const message = `${where} ${why}. Choose another port, or stop that program.`;
      reject(new RelayError(message, { cause }));
    });
    server.listen(
      { port: options.port, ...(options.host === undefined ? {} : { host: options.host }) },
      () => {
        const { port } = server.address() as AddressInfo;
        resolve({
          server,
          quiet,
          port,
          url: `http://127.0.0.1:${port}`,
          close: (graceMs = 5_000) => close(server, graceMs),
        });
      },
    );
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
