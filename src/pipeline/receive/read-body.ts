import type { IncomingMessage } from "node:http";

/** Why there is no whole body. */
export type NoBody = "too_large" | "too_many_pieces" | "broken_off";

/**
 * A body may come in so many pieces, and in one more for each so many bytes. Each piece costs the same,
 * however small it is: in chunks of one byte a body would cost a hundred times what it does in one.
 */
const PIECES = 1_024;
const BYTES_PER_PIECE = 64;

/** A body over its limit is read on to here and dropped, so that its sender reads the answer. */
const DROPPED_BYTES = 1024 ** 2;

/**
 * Collects the bytes of a request as they come over the wire, up to `limit` bytes. Most bodies are one piece,
 * which is kept as it is; several are copied into one buffer, since kept one by one they would take many times
 * their size. Never throws.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | NoBody> {
  if (Number(request.headers["content-length"] ?? 0) > DROPPED_BYTES) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    let body: Buffer = NOTHING;
    let size = 0;
    let pieces = 0;
    const end = (outcome: NoBody) => {
      request.removeAllListeners("data");
      request.pause();
      resolve(outcome);
    };
    request.on("data", (piece: Buffer) => {
      const before = size;
      size += piece.length;
      pieces += 1;
      if (size > DROPPED_BYTES) return end("too_large");
      if (pieces > PIECES + size / BYTES_PER_PIECE) return end("too_many_pieces");
      if (size > limit) body = NOTHING;
      else if (before === 0) body = piece;
      else {
        if (size > body.length) body = enlarge(body, Math.min(limit, Math.max(size, 2 * body.length)));
        piece.copy(body, before);
      }
    });
    const breakOff = () => resolve("broken_off");
    request.on("end", () => resolve(size > limit ? "too_large" : body.subarray(0, size)));
    request.on("error", breakOff).on("close", breakOff);
  });
}

const NOTHING: Buffer = Buffer.alloc(0);

function enlarge(buffer: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  buffer.copy(larger);
  return larger;
}
