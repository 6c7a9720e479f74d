/**
 * Wakes whoever waits. A wake-up while nobody waits is remembered once, so that none is missed between
 * looking and waiting.
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
   * Resolves when it is raised, when `timeoutMs` have passed, or when `stop` aborts. One waits at a time.
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

/** Waits for the first of two, or for neither. What is raised on the other one stays raised. */
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
