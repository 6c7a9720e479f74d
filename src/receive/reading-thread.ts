import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { RelayError } from "../kit/errors.ts";
import type { CallbackRequest, Reading } from "./reading/read-callback.ts";

export interface ReadingThreadOptions {
  /** The most bytes that a body may have after decompression. */
  inflatedBytes: number;
  /** What runs in the thread; reading-thread-main.ts when left out. */
  main?: URL;
  /** How long one callback may be read, in ms. */
  withinMs?: number;
  /** The most callbacks that wait to be read. */
  maxWaiting?: number;
}

interface Waiting {
  request: CallbackRequest;
  resolve(reading: Reading): void;
  reject(error: Error): void;
}

/** What the thread says first, once it has loaded. */
const UP = "up";

// Looked up only where there is a thread: in a bundle for Lambda nothing lies beside this file.
const mainFile = () => new URL(`./reading-thread-main${extname(import.meta.url)}`, import.meta.url);

/** More than any body within its limits needs. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** For a callback that the thread could not read: it is recorded as it came. */
const NOT_READ: Reading = {
  kind: "unreadable",
  why: "reading the body took too long or too much memory",
  unread: ["document"],
};

const doesNotStart = (cause: unknown): RelayError =>
  new RelayError("The thread that reads heavy callbacks does not start.", { next: "retry", cause });

/**
 * Reads heavy callbacks in a thread of its own, one after the other: the milliseconds that one takes, and the
 * garbage it makes, hold up no other request (G12). The thread starts with the first of them, knows no
 * settings and no secrets, and is replaced when one of them hangs or ends it.
 */
export class ReadingThread {
  readonly #options: Required<ReadingThreadOptions>;
  #worker: Worker | null = null;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isUp = false;

  constructor({
    inflatedBytes,
    main = mainFile(),
    withinMs = 5_000,
    maxWaiting = 256,
  }: ReadingThreadOptions) {
    this.#options = { inflatedBytes, main, withinMs, maxWaiting };
  }

  /**
   * @returns what `readCallback` returns; unreadable, with the document unread, when the thread hangs over it
   *   or dies of it.
   * @throws RelayError when too many wait, or no thread can be started: the sender must try again.
   */
  read(request: CallbackRequest): Promise<Reading> {
    if (this.#waiting.length >= this.#options.maxWaiting)
      return Promise.reject(
        new RelayError("Too many heavy callbacks wait to be read. Try again shortly.", { next: "retry" }),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread; whoever still waits is told to try again. */
  stop(): void {
    const left = this.#waiting.splice(0);
    if (this.#current !== null) left.unshift(this.#current);
    this.#current = null;
    this.#end();
    for (const { reject } of left) reject(new RelayError("The relay is stopping.", { next: "retry" }));
  }

  #next(): void {
    while (this.#current === null) {
      const next = this.#waiting.shift();
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

  #hand(request: CallbackRequest, worker: Worker): void {
    worker.ref();
    // Handing over the body itself would take it from whoever is still to record it.
    const body = new Uint8Array(request.body);
    const { inflatedBytes, withinMs } = this.#options;
    worker.postMessage({ request: { ...request, body }, inflatedBytes }, [body.buffer]);
    this.#timer = setTimeout(() => this.#gone(worker), withinMs);
  }

  #start(): Worker {
    this.#isUp = false;
    const worker = new Worker(this.#options.main, { env: {}, execArgv: [], resourceLimits: HEAP });
    worker.on("message", (said: typeof UP | Reading) => {
      if (worker !== this.#worker) return;
      if (said === UP) this.#isUp = true;
      else this.#settle((current) => current.resolve(said));
    });
    worker.on("error", (error) => this.#gone(worker, error));
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
