import type { Finding } from "./findings.ts";

/** A finding in a line. */
export const findingText = ({ what, kind, key, at, columns, detail }: Finding): string =>
  kind === null
    ? `${what}: ${detail}`
    : `${kind} ${key} of ${at} ${what}${columns.length > 0 ? ` (${columns.join(", ")})` : ""}: ${detail}`;
