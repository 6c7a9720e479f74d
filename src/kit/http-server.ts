import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { RelayError } from "./errors.ts";
import { type HangUpReason, takeOneByOne } from "./one-request-at-a-time.ts";

interface ListenOptions {
  /** 0 takes a free port. */
  port: number;
  /** The interface to listen on; all of them when left out. */
  host?: string;
  /** Names the program in the error that says that the port is taken. */
  name: string;
  server?: ServerOptions;
  /** When a peer that does not read is hung up on; `STALL_LIMIT` by default. */
  stall?: StallLimit;
  /** Called for each connection that is ended for what its peer did, or left undone. */
  onHangUp?: (reason: HangUpReason) => void;
}

/** Resolves when it listens. @throws RelayError that names the port when it is taken or not allowed. */
export async function listen(handler: RequestListener, options: ListenOptions) {
  const server = createServer(options.server ?? {});
  const onHangUp = options.onHangUp ?? (() => undefined);
  const quiet = takeOneByOne(server, handler, onHangUp);
  hangUpOnStalled(server, options.stall ?? STALL_LIMIT, () => onHangUp("stalled"));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${cause.code})`;
    const where = `${options.name}: port ${options.port}`;
    reject(new RelayError(`${where} ${why}. Choose another port, or stop that program.`, { cause }));
  });
  const { port: wanted, host } = options;
  server.listen({ port: wanted, ...(host !== undefined && { host }) }, resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return {
    server,
    quiet,
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

interface StallLimit {
  /** How long a connection may have unsent bytes and yet not get on, at most, in ms. */
  withinMs: number;
  /** How many bytes count as getting on; fewer are a peer that holds on to its connection drop by drop. */
  leastBytes: number;
}

/**
 * The kernel holds some 4 MB for a peer and takes more only once a third of that is gone: a slow reader gets
 * on in bursts of 1.4 MB. Two minutes for one are 12 KB a second.
 */
const STALL_LIMIT: StallLimit = { withinMs: 120_000, leastBytes: 16 * 1024 };

/**
 * A connection is ended after so many looks without progress since unsent bytes were found. They are counted
 * instead of the time: a process that was stopped meanwhile has not looked.
 */
const LOOKS = 6;

/**
 * Destroys each connection of `server` whose peer does not take what it is sent, with all that is kept for
 * it. A connection that waits for its answer, or has nothing left to send, is not judged.
 *
 * A time-out of sockets would not do: it also ends whoever waits for an answer that takes long, and each byte
 * that the peer sends puts it off.
 */
function hangUpOnStalled(server: Server, { withinMs, leastBytes }: StallLimit, onHangUp: () => void): void {
  // How far a connection was when it last got on, and the looks since.
  const open = new Map<Socket, { sent: number; looks: number } | null>();
  server.on("connection", (socket) => {
    open.set(socket, null);
    socket.once("close", () => open.delete(socket));
  });
  const look = () => {
    for (const [socket, mark] of open) {
      if (socket.writableLength === 0) {
        if (mark !== null) open.set(socket, null);
        continue;
      }
      const sent = sentBy(socket);
      if (mark === null || sent - mark.sent >= leastBytes) open.set(socket, { sent, looks: 0 });
      else if (++mark.looks >= LOOKS) {
        onHangUp();
        socket.destroy();
      }
    }
  };
  const timer = setInterval(look, withinMs / (LOOKS + 1)).unref();
  server.once("close", () => clearInterval(timer));
}

/** What libuv counts; Node's own time-out of sockets reads it too, but offers it to nobody. */
interface Counts {
  bytesWritten: number;
  /** Those that the kernel has not taken yet. */
  writeQueueSize: number;
}

/** The bytes that the kernel has taken, within one long write too. */
function sentBy(socket: Socket): number {
  const { _handle: counts } = socket as unknown as { _handle?: Counts | null };
  return counts ? counts.bytesWritten - counts.writeQueueSize : socket.bytesWritten - socket.writableLength;
}
