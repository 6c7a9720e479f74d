/** Wakes who waits. A wake while nobody waits is remembered once, so that none is missed between look and wait. */
export class Signal {
  #raised = false;
  #waiting: (() => void) | null = null;

  raise(): void {
    this.#raised = true;
    this.#waiting?.();
  }

  /**
   * Resolves when it is raised, when `timeoutMs` have passed, or when `stop` aborts. One waits at a time.
   * @returns whether it was raised; that wake-up is then spent.
   */
  async wait(timeoutMs: number, stop: AbortSignal): Promise<boolean> {
    if (!this.#raised && !stop.aborted) await this.#sleep(timeoutMs, stop);
    const raised = this.#raised;
    this.#raised = false;
    return raised;
  }

  #sleep(timeoutMs: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener("abort", done);
        this.#waiting = null;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      stop.addEventListener("abort", done);
      this.#waiting = done;
    });
  }
}

/** Waits for the first of two, or for neither. What is raised on the one that came later stays raised. */
export async function waitForEither(
  first: Signal,
  second: Signal,
  timeoutMs: number,
): Promise<"first" | "second" | "neither"> {
  const enough = new AbortController();
  const end = (raised: boolean) => {
    if (raised) enough.abort();
    return raised;
  };
  const waits = [first, second].map((signal) => signal.wait(timeoutMs, enough.signal).then(end));
  const [firstRaised, secondRaised] = await Promise.all(waits);
  return firstRaised ? "first" : secondRaised ? "second" : "neither";
}
