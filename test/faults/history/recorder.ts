import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Happening } from "./history.ts";

type Untimed = Happening extends infer One ? (One extends { at: number } ? Omit<One, "at"> : never) : never;

/** ms since 1970 with parts of them, as every process of this machine reads them alike. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Writes what one process sees, a line each, before it goes on: a process that is killed loses nothing. */
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
 * All that was recorded in the folder, in the order of time. @throws Error that names a line that is no JSON.
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
