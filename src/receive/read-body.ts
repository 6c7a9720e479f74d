import type { IncomingMessage, ServerOptions } from "node:http";

/** Why there is no whole body; `no_room`: others fill the memory that large ones share, a later try may find some. */
export type NoBody = "too_large" | "too_many_pieces" | "no_room" | "broken_off";

/**
 * A body may come in so many pieces, and in one more for each so many bytes. Each piece costs the same,
 * however small it is: in chunks of one byte a body would cost a hundred times what it does in one.
 */
const PIECES = 1_024;
const BYTES_PER_PIECE = 64;

/** Larger bodies share so much memory while they arrive, as thousands may never end; smaller ones have room. */
const SMALL_BYTES = 16 * 1024;
const LARGE_BYTES_TOGETHER = 32 * 1024 ** 2;
let largeBytes = 0;

/**
 * Collects the bytes of a request as they come over the wire, up to `limit` bytes. Most bodies are one piece,
 * which is kept as it is; several are copied into one buffer, since kept one by one they would take many times
 * their size. Never throws; what cannot become a whole body is read no further.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | NoBody> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    let body = NOTHING;
    let size = 0;
    let pieces = 0;
    let shared = 0;
    const settle = (outcome: Buffer | NoBody) => {
      largeBytes -= shared;
      shared = 0;
      resolve(outcome);
    };
    const end = (outcome: NoBody) => {
      request.removeAllListeners("data");
      request.pause();
      settle(outcome);
    };
    request.on("data", (piece: Buffer) => {
      const before = size;
      size += piece.length;
      pieces += 1;
      if (size > limit) return end("too_large");
      if (pieces > PIECES + size / BYTES_PER_PIECE) return end("too_many_pieces");
      if (size > body.length) {
        const to = before === 0 ? size : Math.min(limit, Math.max(size, 2 * body.length));
        const more = to > SMALL_BYTES ? to - shared : 0;
        if (largeBytes + more > LARGE_BYTES_TOGETHER) return end("no_room");
        largeBytes += more;
        shared += more;
        body = before === 0 ? piece : enlarge(body, to);
      }
      if (before > 0) piece.copy(body, before);
    });
    const breakOff = () => settle("broken_off");
    request.on("end", () => settle(size === body.length ? body : body.subarray(0, size)));
    request.on("error", breakOff).on("close", breakOff);
  });
}

const NOTHING: Buffer = Buffer.alloc(0);

function enlarge(buffer: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  buffer.copy(larger);
  return larger;
}

/** In bytes, of a request's line and headers; more is answered 431 before anything reads them. */
const HEADER_LIMIT = 16 * 1024;

/** Longer than the idle time of common load balancers (60 s), so that they, not we, close a connection. */
const KEEP_ALIVE_MS = 65_000;

/** A request must arrive whole within `requestTimeoutMs`: a slow sender gets 408 and is cut off. */
export function httpLimits(requestTimeoutMs: number): ServerOptions {
  return {
    maxHeaderSize: HEADER_LIMIT,
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, Math.max(50, requestTimeoutMs / 4)),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
}
