import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const SRC = resolve(import.meta.dirname, "../../src");

/** Every file of the program, by its path below `src`. */
export const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), "utf8") }));

/** The files whose text has this, in order. */
export const filesWith = (pattern: RegExp): string[] =>
  sources.flatMap(({ file, text }) => (pattern.test(text) ? [file] : [])).sort();
