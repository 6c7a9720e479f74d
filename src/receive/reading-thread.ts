import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { networkOf } from "../kit/addresses.ts";
import { RelayError } from "../kit/errors.ts";
import { TurnQueue } from "../kit/waiting.ts";
import { HEAVY_BYTES } from "./log/callback-log.ts";
import { mayBeCompressed } from "./reading/decode-body.ts";
import { type CallbackReading, type CallbackRequest, readCallback } from "./reading/read-callback.ts";

export interface ReadingThreadOptions {
  /** What runs in the thread; reading-thread-main.ts when left out. */
  main?: URL;
  /** How long one callback may be read once the thread is up, in ms. */
  withinMs?: number;
  maxWaiting?: number;
  /** Called with what ended the thread, for the log. */
  onFault?: (error: unknown) => void;
}

interface Waiting {
  request: CallbackRequest;
  resolve(reading: CallbackReading): void;
  reject(error: Error): void;
}

const UP = "up";

// Looked up only where there is a thread: in a bundle for Lambda nothing lies beside this file.
const mainFile = () => new URL(`./reading-thread-main${extname(import.meta.url)}`, import.meta.url);

/** How long the thread may take to load, in ms: a busy machine is no reason to send a sender away. */
const START_MS = 30_000;

/** More than any body within its limits needs. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** For a callback that the thread could not read: it is recorded as it came. */
const NOT_READ: CallbackReading = { kind: "unreadable", unread: ["document"] };

const doesNotStart = (cause: unknown): RelayError =>
  new RelayError("The thread that reads heavy callbacks does not start.", { next: "retry", cause });

/**
 * Reads a callback: here, or in the thread, where there is one, if it is large, or compressed, whether it says so
 * or not. @throws what `ReadingThread.read` throws.
 */
export const readOrHandOver = (
  thread: ReadingThread | null,
  request: CallbackRequest,
  address: string,
): CallbackReading | Promise<CallbackReading> =>
  thread !== null &&
  (request.body.length > HEAVY_BYTES || mayBeCompressed(request.body, request.contentEncoding))
    ? thread.read(request, address)
    : readCallback(request);

/**
 * Reads heavy callbacks in a thread of its own, one after the other, addresses in turns: the milliseconds
 * that one takes, and the garbage it makes, hold up no other request (G12). The thread starts with the first
 * of them, knows no settings and no secrets, and is replaced when one of them hangs or ends it.
 */
export class ReadingThread {
  readonly #main: URL;
  readonly #withinMs: number;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting: TurnQueue<Waiting>;
  #worker: Worker | null = null;
  #current: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isUp = false;

  constructor(options: ReadingThreadOptions = {}) {
    this.#main = options.main ?? mainFile();
    this.#withinMs = options.withinMs ?? 5_000;
    this.#onFault = options.onFault ?? (() => undefined);
    this.#waiting = new TurnQueue(options.maxWaiting ?? 256);
  }

  /**
   * @param address of the sender; empty when nobody knows it.
   * @returns what `readCallback` returns; unreadable, with the document unread, when the thread hangs over it
   *   or dies of it.
   * @throws RelayError when too many of its address wait, or no thread can be started: the sender must try
   *   again.
   */
  read(request: CallbackRequest, address: string): Promise<CallbackReading> {
    return new Promise((resolve, reject) => {
      this.#waiting
        .add(networkOf(address), { request, resolve, reject })
        ?.reject(
          new RelayError("Too many heavy callbacks wait to be read. Try again shortly.", { next: "retry" }),
        );
      this.#next();
    });
  }

  /** Ends the thread; whoever still waits is told to try again. */
  stop(): void {
    let left = this.#current ?? this.#waiting.next();
    this.#current = null;
    this.#end();
    for (; left !== undefined; left = this.#waiting.next())
      left.reject(new RelayError("The relay is stopping.", { next: "retry" }));
  }

  #next(): void {
    while (this.#current === null) {
      const next = this.#waiting.next();
      if (next === undefined) {
        this.#worker?.unref();
        return;
      }
      try {
        this.#worker ??= this.#start();
      } catch (cause) {
        // Where the system has no thread left: the next one is tried anew.
        next.reject(doesNotStart(cause));
        continue;
      }
      this.#current = next;
      this.#hand(next.request, this.#worker);
    }
  }

  /** To a thread that is up: what ends it before is no body's doing, and what ends it afterwards is. */
  #hand(request: CallbackRequest, worker: Worker): void {
    worker.ref();
    if (!this.#isUp) {
      this.#limit(worker, START_MS);
      return;
    }
    // Handing over the body itself would take it from whoever is still to record it.
    const body = new Uint8Array(request.body);
    worker.postMessage({ ...request, body }, [body.buffer]);
    this.#limit(worker, this.#withinMs);
  }

  #limit(worker: Worker, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#gone(worker), ms);
  }

  #start(): Worker {
    this.#isUp = false;
    const worker = new Worker(this.#main, { env: {}, execArgv: [], resourceLimits: HEAP });
    worker.on("message", (said: typeof UP | CallbackReading) => {
      if (worker !== this.#worker) return;
      if (said === UP) {
        this.#isUp = true;
        if (this.#current !== null) this.#hand(this.#current.request, worker);
      } else this.#settle((current) => current.resolve(said));
    });
    worker.on("error", (error) => {
      this.#onFault(error);
      this.#gone(worker, error);
    });
    worker.on("exit", () => this.#gone(worker));
    return worker;
  }

  /** The thread hangs, has died, or never came up. */
  #gone(worker: Worker | null, cause?: unknown): void {
    if (worker !== this.#worker) return;
    const wasUp = this.#isUp;
    this.#end();
    this.#settle((current) => {
      if (wasUp) current.resolve(NOT_READ);
      else current.reject(doesNotStart(cause));
    });
  }

  #end(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }

  #settle(tell: (current: Waiting) => void): void {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = null;
    if (current !== null) tell(current);
    this.#next();
  }
}
