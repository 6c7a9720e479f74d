import type { Source } from "../../platform/config/index.ts";
import { decodedPath, maskOf, storableText } from "../../platform/values/index.ts";

import { checkedHeaders } from "./caller/caller-checks.ts";
import type { IncomingCallback } from "./log/incoming-callback.ts";
import { isUnrelated, plainName, UUID_LENGTH, uuidsIn } from "./reading/find-in-places.ts";

/** The parts of a callback's URL, `/callbacks/{token}[/{reference}][?query]`. */
interface CallbackAddress {
  token: string;
  /** What follows the token, with its slash, as it stood in the URL; empty when nothing does. */
  rest: string;
  /** As it stood in the URL, without `?`. */
  query: string;
}

/**
 * Takes a request's URL apart, in the origin form or the absolute one. Tolerant of broken percent-encoding: a
 * URL that some provider cut off after 140 characters (interface, part D) may end inside an escape.
 */
export function callbackAddress(url: string): CallbackAddress {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  const root = path.indexOf("/", 1);
  const from = root === -1 ? path.length : root + 1;
  const slash = path.indexOf("/", from);
  const to = slash === -1 ? path.length : slash;
  const token = path.slice(from, to);
  return {
    token: decodedPath(token),
    rest: path.slice(to),
    query: target[end] === "?" ? target.slice(end + 1) : "",
  };
}

/** The reference that follows the token, as a confirmed invoice's is kept; null when nothing follows. */
export const referenceOf = ({ rest }: Pick<CallbackAddress, "rest">): string | null =>
  rest.length <= 1 ? null : storableText(decodedPath(rest.slice(1)));

/** Headers that carry a secret by their nature: recorded as present, never with their value. */
const SECRET_HEADERS = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
];

/** What is recorded of a request beside its body. */
type MaskedTexts = Pick<IncomingCallback, "path" | "query" | "reference" | "headers">;

type RequestTexts = Pick<CallbackAddress, "rest" | "query"> & {
  reference: string | null;
  /** As Node lists them: names and values in turn. */
  rawHeaders: readonly string[];
};

/** @returns a function that masks the secrets in what is recorded of a request beside its body. */
export function requestMask(sources: readonly Source[]): (texts: RequestTexts) => MaskedTexts {
  const configured = sources.flatMap(({ callbackChecks }) => checkedHeaders(callbackChecks));
  const secretHeaders: ReadonlySet<string> = new Set([...SECRET_HEADERS, ...configured]);
  const masked = maskOf(sources.flatMap((source) => source.callbackTokens));

  return ({ rest, query, reference, rawHeaders }) => {
    // Nearly no request holds a token but where its own stands: one look at all the others, instead of one at
    // each. No token holds a line break, so none is found across two texts.
    const joined = `${rest}\n${query}\n${reference ?? ""}\n${rawHeaders.join("\n")}`;
    const mask = masked(joined) === joined ? (text: string) => text : masked;
    const headers: [name: string, value: string][] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      const value = rawHeaders[index + 1] ?? "";
      headers.push([mask(name), secretHeaders.has(name.toLowerCase()) ? "***" : mask(value)]);
    }
    const path = `/callbacks/***${mask(rest)}`;
    return { path, query: mask(query), reference: reference && mask(reference), headers };
  };
}

/** The UUIDs in the values of headers, where no secret is left. */
export const idsInHeaders = (headers: MaskedTexts["headers"]): string[] =>
  headers.flatMap(([name, value]) =>
    value.length >= UUID_LENGTH && mayNameInvoice(name) ? uuidsIn(value) : [],
  );

/** A UUID in a Content-Type is the boundary between its parts. */
const mayNameInvoice = (header: string): boolean =>
  header.toLowerCase() !== "content-type" && !isUnrelated(plainName(header).replace(/^x/, ""));
