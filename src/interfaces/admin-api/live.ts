import type { Response } from "express";
import { describePayments } from "../../pipeline/confirm/index.ts";
import { eventHappenings } from "../../pipeline/publish/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { faultOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { type Mask, withTextsMasked } from "../../platform/values/index.ts";

interface LiveOptions {
  db: Database;
  /** The readings sent every few seconds, by event name. */
  read: Readonly<Record<string, () => Promise<unknown>>>;
  /** Masks every text before it is sent. */
  mask: Mask;
  log: Logger;
  listenerLimit?: number;
  everyMs?: number;
  heartbeatMs?: number;
  /** A reading that takes longer, in ms, is reported as trouble while it goes on. */
  lateMs?: number;
}

const LISTENER_LIMIT = 50;
const EVERY_MS = 5_000;
const BEAT_MS = 15_000;
const LATE_MS = 8_000;
const PAYMENTS_EVERY_MS = 1_000;

/** A commit becomes visible a little after its timestamp. */
const LOOK_BACK_MS = 15_000;

const PAYMENT_LIMIT = 50;

const UNREAD_LIMIT_BYTES = 1_048_576;

interface Listener {
  response: Response;
  /** Whether its session has ended. */
  isOver: () => Promise<boolean>;
}

/**
 * Server-sent events for all listeners. Postgres is queried only while someone listens, and once for all of
 * them. `stop` disconnects them, so that the process can exit.
 */
export class Live {
  readonly #options: Required<LiveOptions>;
  readonly #listeners = new Set<Listener>();
  readonly #last = new Map<string, string>();
  readonly #sent = new Map<string, number>();
  /** Readings that fail, and since when. */
  readonly #failingSince = new Map<string, Date>();
  #timers: NodeJS.Timeout[] = [];
  #reading = new Set<string>();
  #beganAt = 0;

  constructor(options: LiveOptions) {
    this.#options = {
      listenerLimit: LISTENER_LIMIT,
      everyMs: EVERY_MS,
      heartbeatMs: BEAT_MS,
      lateMs: LATE_MS,
      ...options,
    };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** @returns false when the stream has its limit of listeners. */
  listen(response: Response, isOver: () => Promise<boolean>): boolean {
    if (this.#listeners.size >= this.#options.listenerLimit) return false;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    response.write("retry: 3000\n\n");
    const listener = { response, isOver };
    this.#listeners.add(listener);
    // Not the request's: that is over when its body has been read.
    response.once("close", () => this.#leave(listener));
    if (this.#listeners.size === 1) this.#begin();
    else for (const [name, data] of this.#last) this.#send(listener, `event: ${name}\ndata: ${data}\n\n`);
    return true;
  }

  stop(): void {
    for (const listener of this.#listeners) this.#leave(listener);
  }

  async #leaveIfOver(listener: Listener): Promise<void> {
    // While that is unknown, the next reading reports the trouble.
    if (await listener.isOver().catch(() => false)) this.#leave(listener);
  }

  #leave(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    listener.response.end();
    if (this.#listeners.size > 0) return;
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#last.clear();
    this.#failingSince.clear();
    this.#sent.clear();
  }

  #begin(): void {
    const { everyMs, heartbeatMs, read } = this.#options;
    this.#beganAt = performance.now();
    const each = () => {
      for (const name of Object.keys(read)) void this.#once(name, () => this.#readAndTell(name));
    };
    const every = (ms: number, act: () => void) => setInterval(act, ms).unref();
    this.#timers = [
      every(everyMs, each),
      every(heartbeatMs, () => {
        this.#write(": \n\n");
        for (const listener of this.#listeners) void this.#leaveIfOver(listener);
      }),
      every(PAYMENTS_EVERY_MS, () => void this.#once("payment", () => this.#sendPayments())),
    ];
    each();
  }

  /** At most one query of each kind at a time, so that a slow database is not queried twice. */
  async #once(name: string, act: () => Promise<void>): Promise<void> {
    if (this.#reading.has(name)) return;
    this.#reading.add(name);
    // Again and again, for those who come meanwhile.
    const late = setInterval(() => this.#tellTrouble(name), this.#options.lateMs);
    try {
      await act();
    } catch (error) {
      this.#options.log.warn({ what: name, ...faultOf(error) }, "the console could not be updated");
      this.#tellTrouble(name);
    } finally {
      clearInterval(late);
      this.#reading.delete(name);
    }
  }

  async #readAndTell(name: string): Promise<void> {
    const data = this.#jsonOf(await this.#options.read[name]?.());
    this.#failingSince.delete(name);
    if (this.#listeners.size === 0) return;
    this.#last.set(name, data);
    this.#write(`event: ${name}\ndata: ${data}\n\n`);
  }

  /** Replaces the last reading, which is no longer true: new listeners get the trouble instead. */
  #tellTrouble(what: string): void {
    const since = this.#failingSince.get(what) ?? new Date();
    this.#failingSince.set(what, since);
    this.#last.delete(what);
    const sentence = "The relay cannot read its database, so its state is unknown.";
    this.#write(`event: trouble\ndata: ${JSON.stringify({ what, since, sentence })}\n\n`);
  }

  async #sendPayments(): Promise<void> {
    const { db } = this.#options;
    const now = performance.now();
    const withinMs = Math.min(now - this.#beganAt, LOOK_BACK_MS);
    const happened = await eventHappenings(db, withinMs, PAYMENT_LIMIT);
    const news = happened.filter(
      ({ what, eventId, source }) => !this.#sent.has(`${what} ${source} ${eventId}`),
    );
    for (const { what, eventId, source } of happened) this.#sent.set(`${what} ${source} ${eventId}`, now);
    for (const [key, at] of this.#sent) if (now - at > 2 * LOOK_BACK_MS) this.#sent.delete(key);
    if (news.length === 0) return;
    const known = new Map(
      (await describePayments(db, news)).map((payment) => [
        `${payment.source} ${payment.invoiceId}`,
        payment,
      ]),
    );
    for (const { eventId: _, ...one } of news) {
      const {
        reference = null,
        collection = null,
        totalAmount = null,
      } = known.get(`${one.source} ${one.invoiceId}`) ?? {};
      this.#write(
        `event: payment\ndata: ${this.#jsonOf({ ...one, reference, collection, totalAmount })}\n\n`,
      );
    }
  }

  #jsonOf(value: unknown): string {
    return JSON.stringify(withTextsMasked(value, this.#options.mask));
  }

  #write(text: string): void {
    for (const listener of this.#listeners) this.#send(listener, text);
  }

  /** A listener that does not read is cut off, so that nothing piles up for it, and nothing stays (G8). */
  #send({ response }: Listener, text: string): void {
    if (response.writableLength > UNREAD_LIMIT_BYTES) response.destroy();
    else response.write(text);
  }
}
