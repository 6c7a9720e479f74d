import { countText } from "../kit/text.ts";
import type { Output } from "./command-context.ts";

const REDRAW_MS = 100;

/** A line of a terminal that says how far a long command is; nothing is written where the output is piped. */
export class Progress {
  readonly #output: Output;
  #line = "";
  #drawnAt = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** @param total null where it is unknown. @param unit what is counted, such as `callbacks`. */
  reached(unit: string, done: number, total: number | null): void {
    this.#line = `${countText(done)}${total === null ? "" : ` of ${countText(total)}`} ${unit}`;
    const now = performance.now();
    if (now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#draw();
  }

  /** Draws the last state and ends the line. */
  end(): void {
    if (this.#line === "") return;
    this.#draw("\n");
    this.#line = "";
  }

  #draw(end = ""): void {
    if (this.#output.isTTY === true) this.#output.write(`\r${this.#line}\u001B[K${end}`);
  }
}
