/** The part of `process` that this needs. */
export interface StopSignals {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): unknown;
}

/** npm forwards Ctrl-C although the terminal has sent it already: within this time, in ms, it counts once. */
const SAME_REQUEST_MS = 300;

/** A request to stop, by SIGTERM or SIGINT. */
export class StopRequest {
  /** Aborted when a stop is requested. */
  readonly signal: AbortSignal;
  /** Resolves at the same time. */
  readonly asked: Promise<void>;
  readonly #signals: StopSignals;
  readonly #remark: (text: string) => void;
  /** Gives the signals back their default effect. */
  readonly release: () => void;

  constructor(signals: StopSignals, remark: (text: string) => void) {
    this.#signals = signals;
    this.#remark = remark;
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    let askedAt: number | null = null;
    const onSignal = () => {
      const now = performance.now();
      if (askedAt === null) {
        askedAt = now;
        controller.abort();
        resolve();
      } else if (now - askedAt > SAME_REQUEST_MS) {
        remark("Stopped at once; unfinished work is resumed at the next start.");
        signals.exit(1);
      }
    };
    for (const name of ["SIGTERM", "SIGINT"] as const) signals.on(name, onSignal);
    this.release = () => {
      for (const name of ["SIGTERM", "SIGINT"] as const) signals.off(name, onSignal);
    };
    this.signal = controller.signal;
    this.asked = promise;
  }

  /** Waits for the last work; ends the process with exit code 1 if that takes longer than `graceMs`. */
  async finish(work: Promise<void>, graceMs = 10_000): Promise<void> {
    const deadline = setTimeout(() => {
      this.#remark(
        `Some work was not finished within ${graceMs / 1_000} s; it is resumed when its lease ends.`,
      );
      this.#signals.exit(1);
    }, graceMs);
    try {
      await work;
    } finally {
      clearTimeout(deadline);
      this.release();
    }
  }
}
