import type { ServerOptions } from "node:http";

/** The most bytes of a request's line and headers; more is answered 431 before anything reads them. */
const HEADER_LIMIT = 16 * 1024;

/** Longer than the idle time of common load balancers (60 s), so that they, not we, close a connection. */
const KEEP_ALIVE_MS = 65_000;

/**
 * A request must arrive as a whole within `requestTimeoutMs`, headers and body: a slow sender gets 408 and is
 * cut off.
 */
export function httpLimits(requestTimeoutMs: number): ServerOptions {
  return {
    maxHeaderSize: HEADER_LIMIT,
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, Math.max(50, requestTimeoutMs / 4)),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
}
