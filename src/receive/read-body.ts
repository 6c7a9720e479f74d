import type { IncomingMessage } from "node:http";

export type BodyOutcome = { kind: "whole"; body: Buffer } | { kind: "too_large" } | { kind: "broken_off" };

const EMPTY = Buffer.alloc(0);

/** Collects the bytes of a request as they come over the wire, up to `limit` bytes; never throws. */
export function readBody(request: IncomingMessage, limit: number): Promise<BodyOutcome> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve({ kind: "too_large" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        request.removeAllListeners("data");
        chunks.length = 0;
        resolve({ kind: "too_large" });
      } else {
        chunks.push(chunk);
      }
    });
    request.on("end", () => {
      const [first = EMPTY] = chunks;
      resolve({ kind: "whole", body: chunks.length > 1 ? Buffer.concat(chunks, size) : first });
    });
    request.on("error", () => resolve({ kind: "broken_off" }));
    request.on("close", () => resolve({ kind: "broken_off" }));
  });
}

/**
 * How much of an unwanted body is read before its sender is answered regardless: twice what a callback may
 * hold. All that is read makes garbage, and so holds up others.
 */
const MOST_DISCARDED = 512 * 1024;

/**
 * Reads the rest of an unwanted request and forgets it: a sender that is still writing would lose the answer
 * if the connection were closed on it. Resolves at its end, or when it proves endless; never throws.
 */
export function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_DISCARDED) resolve();
    });
    for (const event of ["end", "error", "close"]) request.on(event, () => resolve());
    request.resume();
  });
}
