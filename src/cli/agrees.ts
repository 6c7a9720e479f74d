import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Asks for a yes or no on the terminal. @returns whether the person agreed; end of input means no. */
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
