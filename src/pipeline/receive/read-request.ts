import type { IncomingMessage } from "node:http";
import type { Source } from "../../platform/config/index.ts";
import { decodedPath, maskOf, storableText } from "../../platform/values/index.ts";
import { checkedHeaders } from "./caller/verifiers.ts";
import type { IncomingCallback } from "./log/append-statements.ts";
import { isUnrelated, plainName, UUID_LENGTH, uuidsIn } from "./reading/find-in-places.ts";

/** Why there is no whole body. */
export type NoBody = "too_large" | "broken_off";

/** A body over its limit is read on to here and dropped, so that its sender reads the answer. */
const DROPPED_BYTES = 1024 ** 2;

/**
 * Collects the bytes of a request as they come over the wire, up to `limit` bytes. Most bodies are one piece,
 * which is kept as it is; several are copied into one buffer, since kept one by one they would take many times
 * their size. Never throws.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | NoBody> {
  if (Number(request.headers["content-length"] ?? 0) > DROPPED_BYTES) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    let body: Buffer = NOTHING;
    let size = 0;
    request.on("data", (piece: Buffer) => {
      const before = size;
      size += piece.length;
      if (size > DROPPED_BYTES) {
        request.removeAllListeners("data");
        request.pause();
        return resolve("too_large");
      }
      if (size > limit) body = NOTHING;
      else if (before === 0) body = piece;
      else {
        if (size > body.length) body = enlarge(body, Math.min(limit, Math.max(size, 2 * body.length)));
        piece.copy(body, before);
      }
    });
    const breakOff = () => resolve("broken_off");
    request.on("end", () => resolve(size > limit ? "too_large" : body.subarray(0, size)));
    request.on("error", breakOff).on("close", breakOff);
  });
}

const NOTHING: Buffer = Buffer.alloc(0);

function enlarge(buffer: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  buffer.copy(larger);
  return larger;
}

/** The parts of a callback's URL, `/callbacks/{token}[/{reference}][?query]`. */
interface CallbackAddress {
  token: string;
  /** The text after the token, with its slash, as it stood in the URL; may be empty. */
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

/** The recorded parts of a request beside its body. */
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
    // Nearly every request holds its token in its own place only: the other texts are searched joined, not
    // one by one. A token holds no line break, so it is never found across two texts.
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

/** A GET that navigates, or asks for HTML by name; other senders accept anything (interface, part C, 6). */
export function comesFromBrowser({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean {
  if (method !== "GET") return false;
  if (headers["sec-fetch-mode"] === "navigate") return true;
  return (headers.accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/html" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
