import type { Output } from "./command-context.ts";
import { Progress } from "./progress.ts";

const UNITS = { lists: "days of the list", invoices: "invoices asked about", books: "payments compared" };

/** The progress bars of a command that reads lists, one for each step. */
export class ListProgress {
  readonly #output: Output;
  #bar: Progress | null = null;
  #step: string | null = null;
  #done = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** @param done the count so far, including an earlier run. @param of whose lists these are. */
  reached(of: string, step: keyof typeof UNITS, done: number, total: number | null): void {
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
