import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

const ASKED = "http.server.request.start";

/**
 * For a server that keeps its connections to itself.
 * @param port of an HTTP server in this process that nobody has asked anything yet.
 * @returns what ends every connection to it, those that wait for an answer too.
 */
export function hangUpOn(port: number): () => void {
  let found: Server | undefined;
  const look = (message: unknown) => {
    const { server } = message as { server: Server };
    if ((server.address() as AddressInfo | null)?.port !== port) return;
    found = server;
    unsubscribe(ASKED, look);
  };
  subscribe(ASKED, look);
  return () => found?.closeAllConnections();
}
