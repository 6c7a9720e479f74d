import {
  decodeText,
  type Json,
  parseForm,
  parseJson,
  READING_LIMITS,
  unfoldJsonText,
} from "./decode-body.ts";
import { asUuid, type Found, findInPlaces, plainName, scanForUuids, uuidsIn } from "./find-in-places.ts";

export interface CallbackRequest {
  method: string;
  /** As in the URL, still percent-encoded, without the `?`. */
  query: string;
  /** The text after the token in the path, percent-decoded; null without one. */
  reference: string | null;
  contentType: string | null;
  body: Uint8Array;
}

export type CallbackReading = (Ids | { kind: "ping" | "unreadable" }) & {
  /** The other UUIDs in it, lower case and distinct: erasing finds the callback by them. */
  alsoNamed: string[];
};

interface Ids {
  kind: "ids";
  /** Lower case, distinct, in the order found. */
  invoiceIds: string[];
  /** Such as `data.id`, `form:id`, `scan`, `query:scan`, `reference`: our own names only, never the sender's. */
  foundBy: string;
}

/**
 * Finds the invoice ids that a callback names; nothing else of it is used (G3). Takes every shape of the
 * interface, part C, and any bytes at all; a compressed body names nothing. Pure.
 *
 * Order: the listed places of the body as JSON, else as a form; those of the query; a scan of the
 * body for UUIDs; a scan of the query; the reference in the path. The reference is last because the merchant
 * wrote it before the invoice had an id: a UUID there is more likely an order's.
 */
export function readCallback({ body, ...request }: CallbackRequest): CallbackReading {
  const content = parseBody(decodeText(body));
  const query: Content = { prefix: "query:", document: unfoldJsonText(parseForm(request.query)) };
  // Some senders use a UUID as the boundary of a multipart body.
  const boundary = new Set(uuidsIn(request.contentType ?? ""));
  const inBody = scanForUuids(content.document).filter((uuid) => !boundary.has(uuid));
  const inQuery = scanForUuids(query.document);
  const inReference = uuidsIn(request.reference ?? "");
  const found =
    listedIn(content) ??
    listedIn(query) ??
    scanned("scan", inBody.slice(0, READING_LIMITS.guesses)) ??
    scanned("query:scan", inQuery.slice(0, READING_LIMITS.guesses)) ??
    scanned("reference", inReference.slice(0, 1));
  const others = new Set([...inBody, ...inQuery, ...inReference]);
  for (const id of found?.invoiceIds ?? []) others.delete(id);
  if (found?.foundBy.includes(".")) for (const id of envelopeIds(content.document)) others.delete(id);
  const alsoNamed = [...others];
  if (found !== null) return { kind: "ids", ...found, alsoNamed };
  const saysNothing = [content, query].every(looksLikePing) || request.method === "HEAD";
  return { kind: saysNothing ? "ping" : "unreadable", alsoNamed };
}

/** The `id` of an envelope whose invoice stands elsewhere: it is the notification's. */
function envelopeIds(document: Json): string[] {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return [];
  const ids: string[] = [];
  for (const key in document) {
    const id = key.toLowerCase() === "id" ? document[key] : null;
    const uuid = typeof id === "string" ? asUuid(id) : null;
    if (uuid !== null) ids.push(uuid);
  }
  return ids;
}

interface Content {
  prefix: "" | "form:" | "query:";
  /** The text itself where it is neither JSON nor a form. */
  document: Json;
}

function parseBody(text: string): Content {
  const json = parseJson(text);
  if (json !== undefined) return { prefix: "", document: unfoldJsonText(json) };
  return { prefix: "form:", document: text.includes("=") ? unfoldJsonText(parseForm(text)) : text };
}

function listedIn({ prefix, document }: Content): Found | null {
  const found = findInPlaces(document);
  return found && { ...found, foundBy: prefix + found.foundBy };
}

const scanned = (foundBy: string, invoiceIds: string[]): Found | null =>
  invoiceIds.length === 0 ? null : { invoiceIds, foundBy };

const PING_WORDS = wordsOf("ping test verify verification validate validation challenge handshake hello");
/** Words that may stand beside such a word without changing its meaning. */
const BESIDE_THEM = wordsOf("webhook hook url endpoint event callback connection notification request");
const KEYS_OF_THE_KIND = wordsOf("event type eventtype action topic kind name");
const KEYS_OF_A_CHALLENGE = wordsOf("challenge validationtoken hub zen");

/**
 * Whether a body or query without any id says nothing, or only that someone tries out the address: empty,
 * `{}`, `{"event":"ping"}`, `{"type":"url_verification","challenge":"…"}`. Some senders disable the hook
 * unless such a request gets 2xx (interface, part C).
 */
function looksLikePing({ document }: Content): boolean {
  if (typeof document === "string") return document.trim() === "" || isPingName(document);
  if (typeof document !== "object" || document === null) return document === null;
  const keys = Object.keys(document);
  if (Array.isArray(document) || keys.length === 0) return keys.length === 0;
  return keys.some((key) => {
    // `hub.challenge` of a query.
    const plain = plainName(key.split(".", 1)[0] ?? "");
    const value = document[key];
    return KEYS_OF_A_CHALLENGE.has(plain) || (KEYS_OF_THE_KIND.has(plain) && isPingName(value));
  });
}

/** `ping`, `webhook.test`, `url_verification`: such words only, so `payment.test.successful` is not one. */
function isPingName(name: Json | undefined): boolean {
  if (typeof name !== "string" || name.length > 60) return false;
  const words = name.toLowerCase().match(/[a-z]+/g) ?? [];
  return (
    words.some((word) => PING_WORDS.has(word)) &&
    words.every((word) => PING_WORDS.has(word) || BESIDE_THEM.has(word))
  );
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
