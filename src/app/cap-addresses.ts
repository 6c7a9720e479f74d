import type { Express, RequestHandler } from "express";
import { OpenByAddress, plainAddress } from "../kit/addresses.ts";
import type { RunningServer } from "../kit/http-server.ts";
import type { Metrics } from "../kit/metrics.ts";

/** A connection that has been quiet for so long may be closed to make room for a new one, in ms. */
const QUIET_MS = 3_000;

export interface ConnectionLimits {
  most: number;
  mostOfAddress: number;
}

/**
 * Limits the connections of each address, and of all together. Over the limit of its address, a connection is
 * closed at once. Over the limit of all, it takes the place of the one that has been quiet longest, if that
 * is for some seconds: otherwise silent connections could keep everybody out. A trusted proxy's are not
 * counted by address, since they bring everybody's requests.
 */
export function capConnections(
  { server, quiet }: Pick<RunningServer, "server" | "quiet">,
  { app, limits, metrics }: { app: Express; limits: ConnectionLimits; metrics: Metrics },
): void {
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  const byAddress = new OpenByAddress(limits.mostOfAddress);
  let open = 0;
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const close = address === "" || isTrusted(address, 0) ? () => undefined : byAddress.open(address);
    const isFull = open >= limits.most && !freePlace();
    if (isFull) close?.();
    if (isFull || close === null) {
      metrics.connectionsRefused.inc();
      return socket.destroy();
    }
    open += 1;
    return socket.once("close", () => {
      open -= 1;
      close();
    });
  });

  /** Closes one, first of those that never sent a request. @returns whether there is room now. */
  function freePlace(): boolean {
    for (const waiting of [quiet.unheard, quiet.idle]) {
      const [longest] = waiting;
      if (longest === undefined || performance.now() - longest[1] < QUIET_MS) continue;
      waiting.delete(longest[0]);
      metrics.hangUps.inc({ reason: "gave_way" });
      longest[0].destroy();
      return true;
    }
    return false;
  }
}

/**
 * The limit of an address for callers behind a trusted proxy, where only requests can be counted: one more
 * gets 503, to be tried again.
 */
export function capRequests(most: number, metrics: Metrics): RequestHandler {
  const open = new OpenByAddress(most);
  return (request, response, next) => {
    if (request.headers["x-forwarded-for"] === undefined) return next();
    const client = request.ip ?? "";
    if (plainAddress(client) === null || client === request.socket.remoteAddress) return next();
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
