import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Happening } from "./history.ts";

type Untimed = Happening extends infer One ? (One extends { at: number } ? Omit<One, "at"> : never) : never;

/** Fractional ms since 1970. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Keeps what is seen of a run, and writes it down for whoever looks into a red one. */
export class Recorder {
  readonly #file: number;
  readonly #seen: Happening[] = [];

  /** @param folder where `history.ndjson` is written, a line each. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = openSync(join(folder, "history.ndjson"), "a");
  }

  record(happening: Untimed, at = now()): void {
    const seen = { at, ...happening } as Happening;
    this.#seen.push(seen);
    writeSync(this.#file, `${JSON.stringify(seen)}\n`);
  }

  /** Everything recorded so far, in order of time. */
  get history(): Happening[] {
    return this.#seen.toSorted((one, other) => one.at - other.at);
  }

  close(): void {
    closeSync(this.#file);
  }
}
