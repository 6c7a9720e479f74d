import type { Output } from "./command-context.ts";
import { Progress } from "./progress.ts";

const UNITS = { lists: "days of the list", invoices: "invoices asked about", books: "payments compared" };

/** One source of several is shown: another only once that one has been silent for this long, in ms. */
const SILENT_MS = 2_000;

/** The progress bars of a command that reads lists, one for each step. */
export class ListProgress {
  readonly #output: Output;
  readonly #now: () => number;
  #shown: string | null = null;
  #heardAt = 0;
  #bar: Progress | null = null;
  #step: string | null = null;
  #done = 0;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  /** @param done the count so far, including an earlier run. @param of whose lists these are. */
  reached(of: string, step: keyof typeof UNITS, done: number, total: number | null): void {
    if (this.#shown !== null && this.#shown !== of && this.#now() - this.#heardAt < SILENT_MS) return;
    this.#shown = done === total ? null : of;
    this.#heardAt = this.#now();
    if (this.#step !== `${of} ${step}` || done < this.#done) {
      this.end();
      this.#bar = new Progress({ output: this.#output, unit: UNITS[step], total });
      this.#step = `${of} ${step}`;
      this.#done = 0;
    }
    this.#bar?.advance(done - this.#done);
    this.#done = done;
  }

  end(): void {
    this.#bar?.end();
    this.#bar = null;
  }
}
