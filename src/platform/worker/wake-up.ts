import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import { command, RelayClient } from "../database/index.ts";
import { faultOf } from "../errors/index.ts";
import type { Logger } from "../log/index.ts";
import { backOffMs } from "../process/index.ts";
import type { Secret } from "../values/index.ts";
import { Signal } from "./loop.ts";

/** The channel of NOTIFY; a message is `<who> <work>`. */
const CHANNEL = "invoice_relay";

/** How long other processes are not notified again after a message, in ms: while busy, they poll for work anyway. */
const REST_MS = 20;

const RECONNECT = { firstMs: 100, capMs: 5_000 };

/**
 * A connection that only listens does not notice its own death. It is checked this often, and has so long to
 * answer, in ms.
 */
const HEARTBEAT_MS = 15_000;
const ANSWER_MS = 5_000;

/** The work that a loop may be waiting for. */
export type Work = "confirm" | "publish" | "reconcile";

const isWork = (text: string | undefined): text is Work =>
  text === "confirm" || text === "publish" || text === "reconcile";

/**
 * Wake-ups inside this process and, by LISTEN/NOTIFY, between processes. A wake-up may get lost (a crash
 * between commit and NOTIFY): loops poll as the safety net, so it is never what a guarantee rests on. NOTIFY
 * goes over a connection of its own and after the commit: inside the transaction it would make commits queue.
 */
export class WakeUps {
  readonly signals: Record<Work, Signal> = {
    confirm: new Signal(),
    publish: new Signal(),
    reconcile: new Signal(),
  };
  // Not the process id: in containers every process may be number 1.
  readonly #self = randomUUID();
  readonly #url: Secret;
  readonly #log: Logger;
  #client: pg.Client | null = null;
  #faults = 0;
  #stopped = false;
  #reconnect: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  readonly #toTell = new Set<Work>();
  #telling = false;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: { url: Secret; log: Logger }) {
    this.#url = options.url;
    this.#log = options.log;
  }

  /** Connects, and keeps connecting whenever the connection breaks. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** Wakes this process at once; the others too, or within REST_MS if they have just been notified. */
  wake(work: Work): void {
    this.signals[work].raise();
    this.#toTell.add(work);
    void this.#tell();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#reconnect);
    clearTimeout(this.#rest);
    clearInterval(this.#heartbeat);
    await this.#client?.end().catch(() => undefined);
  }

  // A single message under way at a time, then a rest: however many commits there are, the others get few messages.
  // Further wake-ups go out when the rest is over.
  async #tell(): Promise<void> {
    if (this.#telling || this.#client === null || this.#toTell.size === 0) return;
    this.#telling = true;
    // As text, which costs half of what pg_notify with parameters costs. Nothing of it comes from outside.
    const messages = [...this.#toTell].map((work) => `notify ${CHANNEL}, '${this.#self} ${work}'`);
    this.#toTell.clear();
    try {
      await this.#client.query(messages.join("; "));
    } catch (error) {
      this.#log.debug(faultOf(error), "a wake-up did not reach the other processes; they poll");
    }
    this.#rest = setTimeout(() => {
      this.#telling = false;
      void this.#tell();
    }, REST_MS).unref();
  }

  async #connect(): Promise<void> {
    const client = new RelayClient({
      connectionString: this.#url.reveal(),
      application_name: "invoice-relay wake-up",
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on("notification", ({ payload = "" }) => {
      const [sender, work] = payload.split(" ");
      if (sender !== this.#self && isWork(work)) this.signals[work].raise();
    });
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    try {
      await client.connect();
      // A message is a commit too, and this one is worth no wait for the disk.
      await client.query("set synchronous_commit = off");
      await client.query(`listen ${CHANNEL}`);
      this.#client = client;
      this.#faults = 0;
      this.#heartbeat = setInterval(() => void this.#ask(client), HEARTBEAT_MS).unref();
      // A message may have been lost while this connection did not listen.
      for (const signal of Object.values(this.signals)) signal.raise();
      void this.#tell();
    } catch (error) {
      this.#log.warn(faultOf(error), "no connection for wake-ups; polling until there is one");
      await client.end().catch(() => undefined);
      this.#later();
    }
  }

  async #ask(client: pg.Client): Promise<void> {
    try {
      await client.query("select 1");
    } catch {
      this.#lost(client);
      await client.end().catch(() => undefined);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    clearInterval(this.#heartbeat);
    this.#later();
  }

  #later(): void {
    if (this.#stopped) return;
    this.#faults += 1;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => void this.#connect(), backOffMs(this.#faults, RECONNECT));
  }
}

/** Wakes the workers of all processes, from a program that runs none itself. */
export const notifyWorkers = command(
  (work: Work) => sql`select pg_notify(${CHANNEL}, ${`operator ${work}`})`,
);
