import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What happens to the bytes of one direction; read for every chunk, so that it can change at any time. */
export interface Condition {
  /** Delay in ms; order is kept. */
  delayMs: number;
  /** The limit; 0 for none. */
  bytesPerSecond: number;
  /**
   * Neither bytes nor closes arrive; bytes wait until it opens again, as TCP would retransmit them.
   */
  blackHole: boolean;
}

/** Sees every chunk before it is passed on; returns how many of its bytes get through before the cut. */
export type Inspect = (piece: Buffer) => { cutAfter: number } | null;

const PIECE_BYTES = 16 * 1024;
const WAITING_BYTES_LIMIT = 1024 * 1024;

interface OneWayOptions {
  from: Socket;
  to: Socket;
  condition: Condition;
  inspect: Inspect;
  /** Resets both sides. */
  cut(): void;
}

/**
 * One direction of a connection: from one socket to the other, in order, under a condition that may change.
 */
export class OneWay {
  #options: OneWayOptions;
  readonly #waiting: { piece: Buffer | null; arrivedAt: number }[] = [];
  #waitingBytes = 0;
  #moving = false;
  #hangs = false;
  /** What was sent since it hangs, which arrives nowhere. */
  readonly sentInVain: string[] = [];
  #opened: () => void = () => {};

  constructor(options: OneWayOptions) {
    this.#options = options;
    options.from.on("data", (piece) => this.#arrived(piece as Buffer));
    options.from.on("end", () => this.#arrived(null));
  }

  /** Blocks this connection alone, for good. */
  hang(): void {
    this.#hangs = true;
    this.#options = { ...this.#options, condition: { ...this.#options.condition, blackHole: true } };
  }

  /** Tells whatever is waiting that the condition has changed. */
  look(): void {
    this.#opened();
  }

  #arrived(piece: Buffer | null): void {
    if (this.#hangs && piece !== null) this.sentInVain.push(piece.toString("latin1"));
    this.#waiting.push({ piece, arrivedAt: performance.now() });
    this.#waitingBytes += piece?.length ?? 0;
    if (this.#waitingBytes > WAITING_BYTES_LIMIT) this.#options.from.pause();
    if (!this.#moving) void this.#move();
  }

  async #move(): Promise<void> {
    this.#moving = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      await this.#isOpen();
      const late = next.arrivedAt + this.#options.condition.delayMs - performance.now();
      if (late > 0) await delay(late);
      if (this.#options.condition.blackHole) continue;
      this.#waiting.shift();
      this.#waitingBytes -= next.piece?.length ?? 0;
      if (this.#waitingBytes <= WAITING_BYTES_LIMIT) this.#options.from.resume();
      if (next.piece === null) this.#options.to.end();
      else await this.#pass(next.piece);
    }
    this.#moving = false;
  }

  async #isOpen(): Promise<void> {
    while (this.#options.condition.blackHole)
      await new Promise<void>((resolve) => {
        this.#opened = resolve;
      });
  }

  async #pass(piece: Buffer): Promise<void> {
    const { to, condition, inspect, cut } = this.#options;
    const verdict = inspect(piece);
    const through = verdict === null ? piece : piece.subarray(0, verdict.cutAfter);
    const step =
      condition.bytesPerSecond === 0 ? PIECE_BYTES : Math.min(PIECE_BYTES, condition.bytesPerSecond);
    for (let at = 0; at < through.length; at += step) {
      const part = through.subarray(at, at + step);
      if (condition.bytesPerSecond > 0) await delay((part.length / condition.bytesPerSecond) * 1_000);
      if (!to.write(part) && !to.destroyed) await drained(to);
    }
    if (verdict !== null) cut();
  }
}

const drained = (socket: Socket) =>
  new Promise<void>((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
