import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** As much as is alive, in bytes, after a full collection. */
function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** What some work keeps alive, looked at while it goes on; collecting takes long: once in so many looks. */
export class HeapWatch {
  readonly #every: number;
  readonly #before = heapAfterCollection();
  readonly #startedAt = performance.now();
  #checks = 0;
  #most = 0;

  constructor(every: number) {
    this.#every = every;
  }

  look(): void {
    if (this.#checks++ % this.#every === 0) this.#most = Math.max(this.#most, heapAfterCollection());
  }

  /** Prints what the work took. @returns the most that it kept alive, in MB. */
  report(what: string): number {
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000);
    const megabytes = (Math.max(this.#most, heapAfterCollection()) - this.#before) / 1e6;
    process.stdout.write(
      `${what} in ${seconds} s, heap after collection at most ${megabytes.toFixed(1)} MB more\n`,
    );
    return megabytes;
  }
}
