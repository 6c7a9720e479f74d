import type { Server } from "node:http";
import { isIP } from "node:net";
import type { Express, RequestHandler } from "express";
import type { Metrics } from "../kit/metrics.ts";
import { OpenByAddress } from "../kit/open-by-address.ts";

/**
 * Limits the connections of one address; one more is closed at once. A trusted proxy's are not counted: it
 * brings everybody's.
 */
export function capConnections(
  server: Server,
  { app, most, metrics }: { app: Express; most: number; metrics: Metrics },
): void {
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  const open = new OpenByAddress(most);
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    if (address === "" || isTrusted(address, 0)) return;
    const close = open.open(address);
    if (close !== null) return socket.once("close", close);
    metrics.connectionsRefused.inc();
    return socket.destroy();
  });
}

/**
 * The same for callers behind a trusted proxy, where only requests can be counted: one more gets 503, to be
 * tried again.
 */
export function capRequests(most: number, metrics: Metrics): RequestHandler {
  const open = new OpenByAddress(most);
  return (request, response, next) => {
    if (request.headers["x-forwarded-for"] === undefined) return next();
    const client = request.ip ?? "";
    if (isIP(client) === 0 || client === request.socket.remoteAddress) return next();
    const close = open.open(client);
    if (close !== null) {
      response.once("close", close);
      return next();
    }
    metrics.connectionsRefused.inc();
    response.status(503).setHeader("retry-after", 1);
    response.type("text/plain").send("Too many requests are open from this address. Send it again.\n");
  };
}
