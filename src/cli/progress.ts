import { countText } from "../kit/text.ts";
import { spanText } from "../kit/time.ts";
import type { Output } from "./command-context.ts";

interface ProgressOptions {
  output: Output;
  /** What is counted, such as `callbacks`. */
  unit: string;
  /** The total; null when unknown. */
  total: number | null;
  /** The time in ms; the process' own clock when left out. */
  now?: () => number;
}

const REDRAW_MS = 100;
const BAR = 20;

export class Progress {
  readonly #options: ProgressOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #done = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
  }

  advance(count = 1): void {
    this.#done += count;
    const now = this.#now();
    if (now - this.#drawnAt >= REDRAW_MS) this.#draw(now);
  }

  /** Draws the final state and ends the line. */
  end(): void {
    if (this.#options.output.isTTY !== true) return;
    this.#draw(this.#now());
    this.#options.output.write("\n");
  }

  #draw(now: number): void {
    const { output, total, unit } = this.#options;
    if (output.isTTY !== true) return;
    this.#drawnAt = now;
    const line = progressLine({ done: this.#done, total, unit, elapsedMs: now - this.#startedAt });
    output.write(`\r${line.slice(0, (output.columns ?? 80) - 1)}\u001B[K`);
  }
}

function progressLine(state: {
  done: number;
  total: number | null;
  unit: string;
  elapsedMs: number;
}): string {
  const { done, total, unit, elapsedMs } = state;
  // The first moments tell no rate.
  const rate = elapsedMs >= 1_000 ? (done / elapsedMs) * 1_000 : null;
  const speed = rate === null ? "" : `, ${countText(rate)}/s`;
  if (total === null) return `${countText(done)} ${unit}${speed}`;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "#".repeat(Math.round(share * BAR)).padEnd(BAR, ".");
  const left =
    rate !== null && rate > 0 && done < total
      ? `, ${spanText(Math.ceil((total - done) / rate) * 1_000)} left`
      : "";
  return `[${bar}] ${countText(done)} of ${countText(total)} ${unit}${speed}${left}`;
}

const UNITS = {
  lists: "days of the list",
  invoices: "invoices asked about",
  books: "payments compared",
  ledger: "leaves compared",
  decided: "done",
};

/** One source of several is shown: another only once that one has been silent for this long, in ms. */
const SILENT_MS = 2_000;

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
