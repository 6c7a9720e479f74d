/**
 * Runs jobs side by side, up to `concurrency`; those of one group one after the other, in the order they
 * came. `run` resolves to the milliseconds after which the job is to run again (its group waits for it,
 * others do not), or to undefined when it is done. It must not reject.
 */
export class OrderedJobs<T> {
  readonly #concurrency: number;
  readonly #run: (job: T) => Promise<number | undefined>;
  readonly #ready: { job: T; group: string | undefined }[] = [];
  /** What waits behind a job of its group that is not done. */
  readonly #held = new Map<string, T[]>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #running = 0;
  #closed = false;

  constructor({ concurrency, run }: { concurrency: number; run: (job: T) => Promise<number | undefined> }) {
    this.#concurrency = concurrency;
    this.#run = run;
  }

  add(job: T, group: string | undefined): void {
    const waiting = group === undefined ? undefined : this.#held.get(group);
    if (waiting !== undefined) {
      waiting.push(job);
      return;
    }
    if (group !== undefined) this.#held.set(group, []);
    this.#ready.push({ job, group });
    this.#start();
  }

  /** Starts nothing more. */
  close(): void {
    this.#closed = true;
    for (const pause of this.#pauses) clearTimeout(pause);
  }

  #start(): void {
    while (!this.#closed && this.#running < this.#concurrency) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      void this.#work(next.job, next.group);
    }
  }

  async #work(job: T, group: string | undefined): Promise<void> {
    this.#running += 1;
    const againInMs = await this.#run(job);
    this.#running -= 1;
    if (this.#closed) return;
    if (againInMs === undefined) this.#release(group);
    else this.#later(againInMs, () => this.#ready.push({ job, group }));
    this.#start();
  }

  #later(milliseconds: number, resume: () => void): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      resume();
      this.#start();
    }, milliseconds);
    this.#pauses.add(pause);
  }

  #release(group: string | undefined): void {
    if (group === undefined) return;
    const next = this.#held.get(group)?.shift();
    if (next === undefined) this.#held.delete(group);
    else this.#ready.push({ job: next, group });
  }
}
