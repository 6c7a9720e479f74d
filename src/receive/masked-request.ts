import { maskOf } from "../kit/mask.ts";
import type { Source } from "../kit/source.ts";
import { checkedHeaders } from "./caller/caller-checks.ts";

/** Headers that carry a secret by their nature: recorded as present, never with their value. */
const SECRET_HEADERS = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
];

/** What is recorded of a request beside its body; the token in `path` is masked already. */
export interface RequestTexts {
  path: string;
  query: string;
  reference: string | null;
  /** As Node lists them: names and values in turn. */
  rawHeaders: readonly string[];
}

export type MaskedTexts = Omit<RequestTexts, "rawHeaders"> & {
  /** As pairs, in order and with repetitions. */
  headers: [name: string, value: string][];
};

/** @returns a function that masks the secrets in what is recorded of a request beside its body. */
export function requestMask(sources: readonly Source[]): (texts: RequestTexts) => MaskedTexts {
  const configured = sources.flatMap(({ callbackChecks }) => checkedHeaders(callbackChecks));
  const secretHeaders: ReadonlySet<string> = new Set([...SECRET_HEADERS, ...configured]);
  const masked = maskOf(sources.flatMap((source) => source.callbackTokens));

  return ({ path, query, reference, rawHeaders }) => {
    // Nearly no request holds a token outside its path: one look at all of it, instead of one at each text.
    // No token holds a line break, so none is found across two texts.
    const joined = `${path}\n${query}\n${reference ?? ""}\n${rawHeaders.join("\n")}`;
    const mask = masked(joined) === joined ? (text: string) => text : masked;
    const headers: [name: string, value: string][] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      const value = rawHeaders[index + 1] ?? "";
      headers.push([mask(name), secretHeaders.has(name.toLowerCase()) ? "***" : mask(value)]);
    }
    return { path: mask(path), query: mask(query), reference: reference && mask(reference), headers };
  };
}
