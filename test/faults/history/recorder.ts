import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Happening } from "./history.ts";

type Untimed = Happening extends infer One ? (One extends { at: number } ? Omit<One, "at"> : never) : never;

/** Fractional ms since 1970, the same for all processes on this machine. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Writes what one process sees, one line each, synchronously: a killed process loses nothing. */
export class Recorder {
  readonly #file: number;

  /** @param folder the history of one run; `process` names the file in it. */
  constructor(folder: string, process: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = openSync(join(folder, `${process}.ndjson`), "a");
  }

  record(happening: Untimed, at = now()): void {
    writeSync(this.#file, `${JSON.stringify({ at, ...happening })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/**
 * Everything recorded in the folder, in order of time. @throws Error that names a line that is not JSON.
 */
export function readHistory(folder: string): Happening[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .flatMap((name) => {
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      return lines.flatMap((line, index) => (line === "" ? [] : [parsed(line, `${name}:${index + 1}`)]));
    })
    .sort((one, other) => one.at - other.at);
}

function parsed(line: string, place: string): Happening {
  try {
    return JSON.parse(line) as Happening;
  } catch (cause) {
    throw new Error(`The history is broken at ${place}.`, { cause });
  }
}
