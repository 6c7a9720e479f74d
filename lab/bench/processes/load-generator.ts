import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { answerParent, nowMs } from "../harness/child.ts";
import { CALLBACK_PATH, callbackBody } from "../harness/payment.ts";
import { percentilesOf } from "../harness/rounds.ts";

// Callbacks over raw sockets, each for an invoice of its own: wrk is not to be had from npm, and a client
// library would cost more than what it measures.
const PLACES = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"] as const;
const body = callbackBody(...PLACES);
const request = [
  `POST ${CALLBACK_PATH} HTTP/1.1`,
  "Host: relay.example.com",
  "User-Agent: Tranzakt-Payment-Platform/1.0",
  "X-Webhook-ID: 7b0f6a4e-2f5b-4d0e-9c53-0d7c2f6f1c11",
  "Content-Type: application/json",
  `Content-Length: ${body.length}`,
  "",
  body,
].join("\r\n");
const [head = "", middle = "", tail = ""] = request.split(new RegExp(PLACES.join("|")));

/** A callback that was answered 2xx; times in ms of the machine's clock. */
export interface Sent {
  invoiceId: string;
  sentAt: number;
  answeredAt: number;
}

export interface Flood {
  port: number;
  connections: number;
  ms: number;
}

export interface Pace {
  port: number;
  perSecond: number;
  ms: number;
}

/** A server closes what is idle for longer (Node after 5 s), and leaves what is written to it then unanswered. */
const IDLE_LIMIT_MS = 2_000;

class Connection {
  readonly #socket: Socket;
  idleSince = nowMs();
  isClosed = false;
  #answered: ((sent: Sent | null) => void) | null = null;
  #sent = { invoiceId: "", sentAt: 0 };

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    // Every answer is small enough for one piece.
    this.#socket.on("data", (text: string) => {
      // A server ends a connection after so many requests.
      this.isClosed ||= text.includes("\r\nConnection: close\r\n");
      this.#finish(text.startsWith("HTTP/1.1 2"));
    });
    this.#socket.on("error", () => this.#finish(false));
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.#finish(false);
    });
  }

  /** @returns null when it is not answered 2xx. */
  send(): Promise<Sent | null> {
    this.#sent = { invoiceId: randomUUID(), sentAt: nowMs() };
    this.#socket.write(`${head}${randomUUID()}${middle}${this.#sent.invoiceId}${tail}`, "latin1");
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #finish(ok: boolean): void {
    this.idleSince = nowMs();
    this.#answered?.(ok ? { ...this.#sent, answeredAt: this.idleSince } : null);
    this.#answered = null;
  }
}

/** As many as the server takes: each connection sends again when it is answered. */
async function flood({ port, connections, ms }: Flood) {
  const latencies: number[] = [];
  let failed = 0;
  const startedAt = nowMs();
  const keepSending = async () => {
    const connection = new Connection(port);
    while (nowMs() < startedAt + ms && failed < 100) {
      const sent = await connection.send();
      if (sent === null) failed += 1;
      else latencies.push(sent.answeredAt - sent.sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, keepSending));
  const perSecond = (latencies.length * 1_000) / (nowMs() - startedAt);
  return { answered: latencies.length, failed, perSecond, latency: percentilesOf(latencies) };
}

/** By port. Kept from one pace to the next, as a proxy keeps its connections. */
const idleAt = new Map<number, Connection[]>();

/** So many a second, evenly, however slow the answers are. */
async function pace({ port, perSecond, ms }: Pace) {
  const idle = idleAt.get(port) ?? [];
  idleAt.set(port, idle);
  const sent: Sent[] = [];
  const open = new Set<Promise<void>>();
  let failed = 0;
  const send = async () => {
    let connection = idle.pop();
    while (connection?.isClosed === true) connection = idle.pop();
    // The one used last: those below it are idle for longer still.
    if (connection === undefined || nowMs() - connection.idleSince > IDLE_LIMIT_MS) {
      for (const old of idle.splice(0)) old.close();
      connection = new Connection(port);
    }
    const one = await connection.send();
    if (one === null) failed += 1;
    else {
      sent.push(one);
      idle.push(connection);
    }
  };
  const startedAt = nowMs();
  const total = Math.round((perSecond * ms) / 1_000);
  for (let begun = 0; begun < total; ) {
    const due = Math.min(total, Math.floor(((nowMs() - startedAt) * perSecond) / 1_000));
    for (; begun < due; begun += 1) {
      const sending = send().finally(() => open.delete(sending));
      open.add(sending);
    }
    // Not a wake-up each ms, which would take processor time from what is measured.
    await delay(Math.max(1, startedAt + ((begun + 1) * 1_000) / perSecond - nowMs()));
  }
  await Promise.all(open);
  return { sent, failed, seconds: (nowMs() - startedAt) / 1_000 };
}

const calls = { flood, pace };

export type LoadGeneratorCalls = typeof calls;
answerParent(calls);
