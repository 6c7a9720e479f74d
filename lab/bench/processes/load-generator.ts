import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { answerParent } from "../harness/answer-parent.ts";
import { nowMs } from "../harness/clock.ts";
import { CALLBACK_PATH, callbackBody } from "../harness/sample-payment.ts";
import { percentilesOf } from "../harness/spread.ts";

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

/** A server ends what is idle for longer (Node after 5 s), and what is written to it then is answered by nobody. */
const IDLE_LIMIT_MS = 2_000;

class Connection {
  readonly #socket: Socket;
  idleSince = nowMs();
  #answered: ((ok: boolean) => void) | null = null;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    // Every answer is small enough for one piece.
    this.#socket.on("data", (text: string) => this.#finish(text.startsWith("HTTP/1.1 2")));
    this.#socket.on("error", () => this.#finish(false));
    this.#socket.on("close", () => this.#finish(false));
  }

  send(invoiceId: string, answered: (ok: boolean) => void): void {
    this.#answered = answered;
    this.#socket.write(`${head}${randomUUID()}${middle}${invoiceId}${tail}`, "latin1");
  }

  close(): void {
    this.#socket.destroy();
  }

  #finish(ok: boolean): void {
    const answered = this.#answered;
    this.#answered = null;
    if (answered === null) return;
    this.idleSince = nowMs();
    answered(ok);
  }
}

/** As many as the server takes: each connection sends again when it is answered. */
async function flood({ port, connections, ms }: Flood) {
  const latencies: number[] = [];
  let failed = 0;
  const startedAt = nowMs();
  const until = startedAt + ms;
  const open = Array.from({ length: connections }, () => new Connection(port));
  await Promise.all(
    open.map(
      (connection) =>
        new Promise<void>((done) => {
          const next = () => {
            const sentAt = nowMs();
            if (sentAt >= until) return done();
            connection.send(randomUUID(), (ok) => {
              if (ok) latencies.push(nowMs() - sentAt);
              else failed += 1;
              if (ok || failed < 100) next();
              else done();
            });
          };
          next();
        }),
    ),
  );
  const seconds = (nowMs() - startedAt) / 1_000;
  for (const connection of open) connection.close();
  return {
    answered: latencies.length,
    failed,
    perSecond: latencies.length / seconds,
    latency: percentilesOf(latencies),
  };
}

/** So many a second, evenly, however slow the answers are. */
async function pace({ port, perSecond, ms }: Pace) {
  const idle: Connection[] = [];
  const all: Connection[] = [];
  const sent: Sent[] = [];
  let failed = 0;
  let open = 0;
  const send = () => {
    let connection = idle.pop();
    // The one used last: those below it are idle for longer still.
    if (connection === undefined || nowMs() - connection.idleSince > IDLE_LIMIT_MS) {
      connection = new Connection(port);
      all.push(connection);
    }
    const free = connection;
    const invoiceId = randomUUID();
    const sentAt = nowMs();
    open += 1;
    connection.send(invoiceId, (ok) => {
      open -= 1;
      if (ok) sent.push({ invoiceId, sentAt, answeredAt: nowMs() });
      else failed += 1;
      if (ok) idle.push(free);
    });
  };
  const startedAt = nowMs();
  const total = Math.round((perSecond * ms) / 1_000);
  for (let begun = 0; begun < total; ) {
    const due = Math.min(total, Math.floor(((nowMs() - startedAt) * perSecond) / 1_000));
    for (; begun < due; begun += 1) send();
    // Not a wake-up each ms, which would take processor time from what is measured.
    await delay(Math.max(1, startedAt + ((begun + 1) * 1_000) / perSecond - nowMs()));
  }
  while (open > 0) await delay(5);
  for (const connection of all) connection.close();
  return { sent, failed, seconds: (nowMs() - startedAt) / 1_000 };
}

const calls = { flood, pace };

export type LoadGeneratorCalls = typeof calls;
answerParent(calls);
