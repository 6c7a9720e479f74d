import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Asks a person on a terminal. @returns whether they agreed; closing the input is no. */
export function agrees(
  question: string,
  input: Readable,
  output: { write(text: string): unknown },
): Promise<boolean> {
  output.write(`${question} [y/N] `);
  const lines = createInterface({ input });
  return new Promise((resolve) => {
    lines.once("line", (line) => {
      resolve(/^\s*y(es)?\s*$/i.test(line));
      lines.close();
    });
    lines.once("close", () => resolve(false));
  });
}
