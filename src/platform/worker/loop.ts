import { faultOf } from "../errors/index.ts";
import type { Logger } from "../log/index.ts";
import type { Metrics } from "../metrics/index.ts";
import { backOffMs } from "../process/index.ts";

/**
 * Wakes a waiting loop. A wake-up while no loop waits is remembered once, so that it is not missed between checking
 * for work and waiting.
 */
export class Signal {
  #raised = false;
  #waiting: (() => void) | null = null;
  readonly #branches: Signal[] = [];

  raise(): void {
    this.#raised = true;
    this.#waiting?.();
    for (const branch of this.#branches) branch.raise();
  }

  /** Another that is raised whenever this one is, for one more who waits. */
  branch(): Signal {
    const branch = new Signal();
    this.#branches.push(branch);
    return branch;
  }

  /** Whether it was raised; that wake-up is then spent. */
  take(): boolean {
    const raised = this.#raised;
    this.#raised = false;
    return raised;
  }

  /**
   * Resolves when it is raised, when `timeoutMs` have passed, or when `stop` aborts. Only one caller may wait at a
   * time.
   * @returns whether it was raised; that wake-up is then spent.
   */
  async wait(timeoutMs: number, stop: AbortSignal): Promise<boolean> {
    await Signal.anyRaised([this], timeoutMs, stop);
    return this.take();
  }

  /**
   * Resolves when one of them is raised, when `timeoutMs` have passed, or when `stop` aborts; spends nothing.
   */
  static anyRaised(signals: readonly Signal[], timeoutMs: number, stop?: AbortSignal): Promise<void> {
    if (stop?.aborted || signals.some((signal) => signal.#raised)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop?.removeEventListener("abort", done);
        for (const signal of signals) signal.#waiting = null;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      stop?.addEventListener("abort", done);
      for (const signal of signals) signal.#waiting = done;
    });
  }
}

/** The work that a loop may be waiting for. */
export type Work = "confirm" | "publish";
export type Wakes = Readonly<Record<Work, Signal>>;

/** Wake-ups inside one process; the others poll once a second. */
export const makeSignals = (): Wakes => ({
  confirm: new Signal(),
  publish: new Signal(),
});

/** Waits for the first of two signals; the wait may end without. A wake-up of the other one stays raised. */
export async function waitForEither(
  first: Signal,
  second: Signal,
  timeoutMs: number,
  stop?: AbortSignal,
): Promise<"first" | "second" | "neither"> {
  await Signal.anyRaised([first, second], timeoutMs, stop);
  if (first.take()) return "first";
  return second.take() ? "second" : "neither";
}

interface LoopOptions {
  name: string;
  /** Whose work it does, where each source has a loop of its own. */
  source?: string;
  /**
   * Does all that is due now. Resolves with how long to wait at most, in ms; null waits for a wake-up, or for
   * `everyMs`.
   */
  run: (stop: AbortSignal) => Promise<number | null>;
  wake: Signal;
  /** How often it runs without a wake-up, in ms. */
  everyMs: number;
  log: Logger;
  metrics: Metrics;
}

export interface Loop {
  /** While its runs fail again and again: since when, by performance.now(), and with what. */
  readonly failing: { since: number; error: unknown } | null;
  /** Asks the run under way to end, and resolves when it has. */
  stop(): Promise<void>;
}

const FAILED_PASS = { firstMs: 100, capMs: 5_000 };

/**
 * A run that has not failed for so long, in ms, works: under load it may never end, and with nothing to do it
 * succeeds.
 */
const WORKS_AFTER_MS = 20_000;

/** Runs at every wake-up. A run that fails as a whole (Postgres away) is tried again with back-off, for ever. */
export function startLoop({ name, source, run: runJob, wake, everyMs, log, metrics }: LoopOptions): Loop {
  const about = { worker: name, ...(source === undefined ? {} : { source }) };
  const stopping = new AbortController();
  let failed: { since: number; at: number; error: unknown } | null = null;
  const failing = () => (failed !== null && performance.now() - failed.at < WORKS_AFTER_MS ? failed : null);
  metrics.jobFailures.begin({ worker: name });
  const run = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      let waitMs: number;
      try {
        waitMs = Math.min((await runJob(stopping.signal)) ?? everyMs, everyMs);
        if (failures > 0) log.info(about, "works again");
        failures = 0;
      } catch (error) {
        failures += 1;
        const at = performance.now();
        failed = { since: failing()?.since ?? at, at, error };
        metrics.jobFailures.inc({ worker: name });
        waitMs = backOffMs(failures, FAILED_PASS);
        log.warn({ ...about, failures, ...faultOf(error) }, "a run failed; it will be tried again");
      }
      await wake.wait(waitMs, stopping.signal);
    }
  };
  const running = run();
  return {
    get failing() {
      return failing();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
