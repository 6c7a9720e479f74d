import { maskOf } from "../kit/mask.ts";
import type { Source } from "../kit/sources-file.ts";
import { checkedHeaders } from "./caller/caller-checks.ts";

/** The parts of a callback's URL, `/callbacks/{token}[/{reference}][?query]`. */
interface CallbackAddress {
  token: string;
  /**
   * What follows the token, percent-decoded where it can be; null when nothing does. NUL becomes U+FFFD:
   * Postgres holds none. Read only when it is asked for: nothing is done for whoever has a wrong token.
   */
  readonly reference: string | null;
  /** As it stood in the URL, without `?`. */
  query: string;
  /** As it stood in the URL, the token masked. */
  path: string;
}

/** Beyond so many segments, a reference with a broken one stays as it came: each costs an exception. */
const DECODED_SEGMENTS = 32;

/**
 * Takes a request's URL apart, in the origin form or the absolute one. Tolerant of broken percent-encoding: a
 * URL that some provider cut off after 140 characters (interface, part D) may end inside an escape.
 */
export function callbackAddress(url: string): CallbackAddress {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = target.search(/[?#]/);
  const raw = end === -1 ? target : target.slice(0, end);
  const [root = "", callbacks = "", token = ""] = raw.split("/", 3);
  const rest = raw.slice(root.length + callbacks.length + token.length + 2);
  return {
    token: decodeText(token) ?? token,
    get reference() {
      return rest.length > 1 ? decodedReference(rest.slice(1)).replaceAll("\0", "\uFFFD") : null;
    },
    query: target[end] === "?" ? target.slice(end + 1) : "",
    path: `/callbacks/***${rest}`,
  };
}

/** As a whole where that can be done; else each segment by itself, so that a broken one spoils no other. */
function decodedReference(text: string): string {
  const whole = decodeText(text);
  if (whole !== null) return whole;
  const segments = text.split("/", DECODED_SEGMENTS + 1);
  if (segments.length > DECODED_SEGMENTS) return text;
  return segments.map((segment) => decodeText(segment) ?? segment).join("/");
}

/** null where the percent-encoding is broken. */
function decodeText(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

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
interface RequestTexts {
  path: string;
  query: string;
  reference: string | null;
  /** As Node lists them: names and values in turn. */
  rawHeaders: readonly string[];
}

export type MaskedTexts = Omit<RequestTexts, "rawHeaders"> & {
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
