import { daysBetween, type PaidWindow, periodFor } from "../reconcile/list-period.ts";
import type { Output } from "./door.ts";
import { Progress } from "./progress.ts";

/** The bar of a command that reads lists, in days of the list. */
export class ListProgress {
  readonly #bar: Progress;
  #read = 0;

  constructor(output: Output, source: { lookbackMs: number }, window: PaidWindow, lists = 1) {
    const { first, last } = periodFor(window, source.lookbackMs);
    this.#bar = new Progress({ output, unit: "days of the list", total: daysBetween(first, last) * lists });
  }

  /** So many are read by now, those of an earlier run included. */
  reached(read: number): void {
    this.#bar.advance(read - this.#read);
    this.#read = read;
  }

  end(): void {
    this.#bar.end();
  }
}
