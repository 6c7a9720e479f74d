import type { z } from "zod";

/** What is wrong with a value, a line each, starting with the field's name: `amount should be more than 0`. */
export function problemsOf(error: z.ZodError): string[] {
  return [...new Set(error.issues.map(({ path, message }) => `${nameOf(path)} ${message}`))];
}

function nameOf(path: readonly PropertyKey[]): string {
  const name = path.reduce<string>(
    (so, part) =>
      typeof part === "number" ? `${so}[${part}]` : so === "" ? String(part) : `${so}.${String(part)}`,
    "",
  );
  return name === "" ? "The request" : name.slice(0, 200);
}
