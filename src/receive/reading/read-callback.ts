import { decodeText, inflateBody } from "./decode-body.ts";
import { type Found, findInPlaces } from "./find-in-places.ts";
import { parseForm, parseQuery } from "./parse-form.ts";
import { type Json, parseJson, type Unread, type UnreadSet, unfoldJsonText } from "./parse-json.ts";
import { plainName } from "./places.ts";
import { EVERY_UUID, namesOthers, scanForUuids } from "./scan-for-uuids.ts";
import { asUuid, uuidsIn } from "./uuid.ts";

export interface CallbackRequest {
  method: string;
  /** As in the URL, still percent-encoded, without the `?`. */
  query: string;
  /** What follows the token in the path, percent-decoded; null when nothing does. */
  reference: string | null;
  contentType: string | null;
  contentEncoding: string | null;
  /** As it came over the wire, compressed if it was. */
  body: Uint8Array;
  /** It failed a check: it is only glanced at. */
  isRefused?: boolean;
}

export type CallbackReading =
  | ((Ids | { kind: "ping" | "unreadable" }) & {
      /** What lay beyond the limits (READING_LIMITS); nearly always empty. */
      unread: Unread[];
      /** The other UUIDs in the body, lower case and distinct, where there are any: erasing finds the callback by them. */
      alsoNamed?: string[];
    })
  | { kind: "too_large" };

interface Ids {
  kind: "ids";
  /** Lower case, distinct, in the order found. */
  invoiceIds: string[];
  /** Such as `data.id`, `form:id`, `scan`, `query:scan`, `reference`: our own names only, never the sender's. */
  foundBy: string;
}

/**
 * Finds the invoice ids that a callback names; nothing else of it is used (G3). Takes every shape of the
 * interface, part C, and any bytes at all: it is pure and never throws.
 *
 * Order: the listed places (places.ts) of the body as JSON, else as a form; those of the query; a scan of the
 * body for UUIDs; a scan of the query; the reference in the path. The reference is last because the merchant
 * wrote it before the invoice had an id: a UUID there is more likely an order's.
 */
export function readCallback(request: CallbackRequest): CallbackReading {
  if (request.isRefused) return glance(request);
  const bytes = inflateBody(request.body, request.contentEncoding);
  if (bytes === "too_large") return { kind: "too_large" };
  const unread: UnreadSet = new Set();
  const body = parseBody(decodeText(bytes), unread);
  const listed = listedIn(body, unread);
  const read =
    listed === null ? readWithoutListedBody(request, body, unread) : { kind: "ids" as const, ...listed };
  const reading = { ...read, unread: [...unread] };
  const alsoNamed = findOtherIds(body, read.kind === "ids" ? read : null, request);
  return alsoNamed.length === 0 ? reading : { ...reading, alsoNamed };
}

/** The UUIDs of a body beside those found in it, without the `id` of an envelope, which names no invoice. */
function findOtherIds(
  { text, document }: Content,
  found: Ids | null,
  { contentType }: CallbackRequest,
): string[] {
  const own = found?.foundBy.includes(".") === true ? findEnvelopeIds(document) : [];
  const known = new Set([...(found?.invoiceIds ?? []), ...uuidsOf(contentType), ...own]);
  // The look at the text saves nearly every callback the walk; an escape may hide an id from it.
  if (!text.includes("\\u00") && !namesOthers(text, known)) return [];
  return scanForUuids(document, text, new Set(), known, EVERY_UUID);
}

function findEnvelopeIds(document: Json | undefined): string[] {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return [];
  const ids: string[] = [];
  for (const key in document) {
    if (key.length > 3 || plainName(key) !== "id") continue;
    const id = document[key];
    const uuid = typeof id === "string" ? asUuid(id) : null;
    if (uuid !== null) ids.push(uuid);
  }
  return ids;
}

interface Content {
  prefix: "" | "form:" | "query:";
  document: Json | undefined;
  text: string;
}

function parseBody(text: string, unread: UnreadSet): Content {
  const json = parseJson(text, unread);
  if (json !== undefined) return { prefix: "", document: unfoldJsonText(json, unread), text };
  const form = text.includes("=") ? unfoldJsonText(parseForm(text, unread), unread) : undefined;
  return { prefix: "form:", document: form, text };
}

function listedIn(content: Content, unread: UnreadSet): Found | null {
  if (content.document === undefined) return null;
  const found = findInPlaces(content.document, unread);
  if (found === null || content.prefix === "") return found;
  return { invoiceIds: found.invoiceIds, foundBy: content.prefix + found.foundBy };
}

function readWithoutListedBody(request: CallbackRequest, body: Content, unread: UnreadSet) {
  const query: Content = {
    prefix: "query:",
    document: unfoldJsonText(parseQuery(request.query, unread), unread),
    text: request.query,
  };
  const found =
    listedIn(query, unread) ??
    // Some senders use a UUID as the boundary of a multipart body.
    scanned("scan", scanForUuids(body.document, body.text, unread, uuidsOf(request.contentType))) ??
    scanned("query:scan", scanForUuids(query.document, query.text, unread)) ??
    scanned("reference", uuidsOf(request.reference).slice(0, 1));
  if (found !== null) return { kind: "ids" as const, ...found };
  const saysNothing = looksLikePing(body.document, body.text) && looksLikePing(query.document, query.text);
  return { kind: saysNothing || request.method === "HEAD" ? ("ping" as const) : ("unreadable" as const) };
}

function scanned(foundBy: string, invoiceIds: string[]): Found | null {
  return invoiceIds.length === 0 ? null : { invoiceIds, foundBy };
}

function uuidsOf(text: string | null): string[] {
  return text?.includes("-") ? [...uuidsIn(text)].map(({ uuid }) => uuid) : [];
}

/** A glance is as much a guess as a scan, so as few ids are kept for an invoice's timeline. */
const GLANCED_LIMIT = 5;

/**
 * Every UUID in the query and the body of a callback that failed a check: an invoice's timeline can show it,
 * unless the body was compressed, and erasing finds it in any case. Nothing is parsed, and nothing is asked. A
 * body that is too large once inflated is looked at as it came.
 */
function glance({ query, contentEncoding, body }: CallbackRequest): CallbackReading {
  const inflated = inflateBody(body, contentEncoding);
  const isAsItCame = inflated === body || inflated === "too_large";
  const { buffer, byteOffset, byteLength } = isAsItCame ? body : inflated;
  // Without its NULs, UTF-16 reads as ASCII does.
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1").replaceAll("\0", "");
  const named = [...new Set([...uuidsIn(`${query}\n${text}`)].map(({ uuid }) => uuid))];
  const kept = isAsItCame ? GLANCED_LIMIT : 0;
  const [invoiceIds, alsoNamed] = [named.slice(0, kept), named.slice(kept)];
  return invoiceIds.length === 0
    ? { kind: "unreadable", unread: [], alsoNamed }
    : { kind: "ids", invoiceIds, foundBy: "glance", unread: [], alsoNamed };
}

const PING_WORDS = wordsOf("ping test verify verification validate validation challenge handshake hello");
/** What may stand beside such a word without making it something else. */
const BESIDE_THEM = wordsOf("webhook hook url endpoint event callback connection notification request");
const KEYS_OF_THE_KIND = wordsOf("event type eventtype action topic kind name");
const KEYS_OF_A_CHALLENGE = wordsOf("challenge validationtoken hub zen");

/**
 * Whether a body or query without any id says nothing, or only that someone tries out the address: empty,
 * `{}`, `{"event":"ping"}`, `{"type":"url_verification","challenge":"…"}`. Some senders disable the hook
 * unless such a request gets 2xx (interface, part C).
 */
export function looksLikePing(document: Json | undefined, text: string): boolean {
  if (document === undefined) return text.trim() === "" || isPingName(text);
  if (typeof document === "string") return document.trim() === "" || isPingName(document);
  if (typeof document !== "object" || document === null) return document === null;
  const keys = Object.keys(document);
  if (Array.isArray(document) || keys.length === 0) return keys.length === 0;
  return keys.some((key) => {
    const plain = plainName(key);
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
