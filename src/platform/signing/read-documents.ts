import { RelayError } from "../errors/index.ts";
import { isTooIntricate } from "../values/index.ts";

/** More than any of ours: a certificate names ten thousand differences. */
const LIMITS = { depth: 32, pieces: 2_000_000 };

/**
 * The documents in a file: one, or a list of them as `certify --json` prints it. Windows' shells write UTF-16.
 * @throws RelayError where it holds no whole JSON document, or one that two readers could read as different things.
 */
export function readDocuments(bytes: Uint8Array): Record<string, unknown>[] {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = decode(bytes, isUtf16 ? "utf-16le" : "utf-8").replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (text.startsWith("row,certificate,"))
    throw new RelayError(
      "It is a certificate's CSV table, which bears no signature to check. Take its JSON: certificate show with --json prints it.",
    );
  if (!/^[{[]/.test(text) || isTooIntricate(text, LIMITS))
    throw new RelayError("It is not a signed document of invoice-relay, which is JSON.");
  const parsed = parseStrictly(text);
  const found = Array.isArray(parsed) ? parsed : [parsed];
  const documents = found.filter(
    (one): one is Record<string, unknown> => typeof one === "object" && one !== null && !Array.isArray(one),
  );
  if (documents.length < found.length || !documents.some((one) => "source" in one || "signature" in one))
    throw new RelayError("It is JSON, but not a signed document of invoice-relay.");
  return documents;
}

/** Bytes that are no text of this coding would all become the same sign, and so hide what was edited. */
function decode(bytes: Uint8Array, coding: string): string {
  try {
    return new TextDecoder(coding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RelayError("It is not text in UTF-8: it was edited or damaged. Get it anew.", { cause });
  }
}

/**
 * `JSON.parse` that refuses what another parser may read otherwise: a name that stands twice in an object, and a
 * number that is not spelled as the relay spells it (`1e2`, `3.0`, more digits than a double holds).
 */
function parseStrictly(text: string): unknown {
  let members = 0;
  let strange: string | null = null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, function (this: unknown, _name, value: unknown, context?: { source?: string }) {
      if (!Array.isArray(this)) members += 1;
      const spelled = context?.source ?? String(value);
      if (typeof value === "number" && String(value) !== spelled) strange ??= spelled;
      return value;
    });
  } catch (cause) {
    const why = /[}\]]$/.test(text)
      ? "is not JSON: it was edited or damaged"
      : "ends in the middle: it is truncated";
    throw new RelayError(`It ${why}. Get it anew.`, { cause });
  }
  if (strange !== null)
    throw new RelayError(
      `It was edited: it holds the number ${String(strange).slice(0, 40)}, which is not spelled so.`,
    );
  // All but the last of members with one name are lost to JSON.parse, which calls once for the whole, too.
  if (countNames(text) !== members - 1)
    throw new RelayError(
      "It was edited: a name stands twice in it, and readers differ in which of them they take.",
    );
  return parsed;
}

/** @param text is JSON. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
  return names;
}
