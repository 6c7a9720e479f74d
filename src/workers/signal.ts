/** Wakes who waits. A wake while nobody waits is remembered once, so that none is missed between look and wait. */
export class Signal {
  #raised = false;
  #waiting: (() => void) | null = null;

  raise(): void {
    if (this.#waiting === null) {
      this.#raised = true;
    } else {
      this.#waiting();
    }
  }

  /** Resolves when it is raised, when `timeoutMs` have passed, or when `stop` aborts. One waits at a time. */
  wait(timeoutMs: number, stop: AbortSignal): Promise<void> {
    if (this.#raised || stop.aborted) {
      this.#raised = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      const self = this;
      function done(): void {
        clearTimeout(timer);
        stop.removeEventListener("abort", done);
        self.#waiting = null;
        resolve();
      }
      stop.addEventListener("abort", done);
      this.#waiting = done;
    });
  }
}
