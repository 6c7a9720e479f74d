import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A listener on this machine that is attacked. */
export interface Target {
  port: number;
  tls: boolean;
}

/** Attackers come from an address of their own, so that limits by address tell them from honest callers. */
const ATTACKERS = "127.0.0.66";

/** A connection of an attacker, whose errors are of no interest. */
export function attackerSocket({ port, tls }: Target): Socket {
  const to = { host: "127.0.0.1", port, localAddress: ATTACKERS };
  const socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  return socket.on("error", () => undefined);
}
