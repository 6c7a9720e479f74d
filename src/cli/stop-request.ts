/** The part of `process` that this needs. */
export interface StopSignals {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): unknown;
}

/** npm passes Ctrl-C on to a program that the terminal has told already: that is one wish, not two. */
const SAME_WISH_MS = 300;

/** The wish to stop, from SIGTERM or SIGINT. */
export class StopRequest {
  /** Aborted when someone wishes the program to stop. */
  readonly signal: AbortSignal;
  /** Resolves at the same time. */
  readonly asked: Promise<void>;
  readonly #signals: StopSignals;
  readonly #remark: (text: string) => void;
  readonly #release: () => void;

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
      } else if (now - askedAt > SAME_WISH_MS) {
        remark("Stopped at once; what was under way is taken up again at the next start.");
        signals.exit(1);
      }
    };
    for (const name of ["SIGTERM", "SIGINT"] as const) signals.on(name, onSignal);
    this.#release = () => {
      for (const name of ["SIGTERM", "SIGINT"] as const) signals.off(name, onSignal);
    };
    this.signal = controller.signal;
    this.asked = promise;
  }

  /** Signals do again what they always do. */
  release(): void {
    this.#release();
  }

  /** Waits for the last work; ends the process with exit code 1 when it takes longer than `graceMs`. */
  async finish(work: Promise<void>, graceMs: number): Promise<void> {
    const deadline = setTimeout(() => {
      this.#remark(
        `Not all was finished within ${graceMs / 1_000} s; the rest is taken up again when its lease ends.`,
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
