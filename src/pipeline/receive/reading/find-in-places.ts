import { NIL_UUID } from "../../../platform/values/index.ts";
import { type Json, READING_LIMITS } from "./decode-body.ts";

/**
 * Places of an invoice id in a callback, in order: the first that holds a UUID wins, and all its UUIDs are
 * taken (interface, parts B and C). Keys match without regard to case, `_` and `-`, so
 * `invoiceId` also stands for `InvoiceID` and `invoice_id`. The same list reads JSON, form fields
 * and the query.
 *
 * - `a.b` holds the id itself, or an array of ids.
 * - `a.*` is a callback inside the callback, and every element of an array is a callback of its own: this list
 *   is read again for each, so that a mixed batch loses no invoice.
 * - `id` is skipped where there is some `a.*`: an `id` beside it is the notification's.
 */
export const PLACES: readonly string[] = [
  // A name that says "invoice" beats an `id` beside it, which is then a payment's or an attempt's.
  "data.invoiceId",
  "data.invoiceIds",
  "data.invoice.id",
  // A whole callback sent as the form field `data`.
  "data.data.id",
  // The documented callback, and the envelope of the API. Before the top-level `id`, which is the
  // notification's.
  "data.id",
  "invoiceId",
  "invoiceIds",
  "invoice.id",
  "invoice",
  "data.*",
  "events.*",
  "notifications.*",
  "invoices.*",
  "event.*",
  "payload.*",
  "body.*",
  "message.*",
  "notification.*",
  "resource.*",
  "object.*",
  "content.*",
  // A bare invoice, and what Mollie sends as a form.
  "id",
  // After `id`: on a bare invoice these are its lines.
  "items.*",
];

/** How many `a.*` and arrays may lie within each other before a body is left to the scan. */
const PLACES_DEPTH = 4;

/**
 * Keys below which a UUID is never the invoice's: the scan passes them over (interface, part A for the
 * resources, part B for the notification's). `callBackUrl` and `billerMetaData` are the merchant's own,
 * written before the invoice had an id, and the URL holds a token. In doubt a key is not listed: a wrong id
 * costs one request, a missed one costs a payment's event until the next sweep.
 */
const UNRELATED_KEYS: readonly string[] = [
  "collectionId",
  "collection",
  "collectionCategory",
  "collectionAccounts",
  "linkedAccount",
  "linkedAccountId",
  "invoiceBeneficiaries",
  "bank",
  "bankId",
  "callBackUrl",
  "billerMetaData",
  "biller",
  "billerId",
  "payer",
  "payerId",
  "customer",
  "customerId",
  "merchantId",
  "businessId",
  "accountId",
  "tenantId",
  "organizationId",
  "userId",
  "webhookId",
  "eventId",
  "notificationId",
  "deliveryId",
  "messageId",
  "requestId",
  "correlationId",
  "traceId",
  "idempotencyKey",
  "apiKey",
  "token",
  "signature",
  "nonce",
];

/** Gives `invoiceId`, `InvoiceID`, `invoice_id` and `invoice-id` the same spelling. */
export function plainName(key: string): string {
  // A pattern takes five times as long, and nearly no key has either sign.
  const plain = key.includes("_") || key.includes("-") ? key.replaceAll(/[_-]/g, "") : key;
  return plain.toLowerCase();
}

export interface Found {
  /** Lower case, distinct, in the order found; the first hundred. */
  invoiceIds: string[];
  /** The places that held them, such as `data.id` or `events[].data.id`; several are joined by a comma. */
  foundBy: string;
}

/** null without a UUID in any of the places. It goes no deeper than PLACES_DEPTH. */
export function findInPlaces(document: Json): Found | null {
  const taken: Taken = { ids: new Set(), places: new Set(), listed: new Map() };
  if (!readCallbackAt("", document, PLACES_DEPTH, taken)) return null;
  return { invoiceIds: [...taken.ids], foundBy: [...taken.places].join(", ") };
}

type JsonObject = { [key: string]: Json };

interface Taken {
  ids: Set<string>;
  places: Set<string>;
  /** The findings of `listedKeys`, so that no record's keys are searched twice. */
  listed: Map<JsonObject, ListedKeys>;
}

/** The values of a record under names that occur in PLACES, by `plainName`; `id` and `Id` give two values. */
type ListedKeys = Map<string, Json[]>;

const NONE: ListedKeys = new Map();

const LISTED = PLACES.map((place) => {
  const path = place.replace(/\.\*$/, "");
  const [first = "", ...below] = path.split(".").map(plainName);
  /** Written `a.*`: what stands there is a callback of its own. */
  const isCallback = path !== place;
  return { path, first, below, isCallback };
});
const LISTED_NAMES: ReadonlySet<string> = new Set(LISTED.flatMap(({ first, below }) => [first, ...below]));
const LONGEST_KEY = 2 + Math.max(...[...LISTED_NAMES].map((name) => name.length));

/** Takes the ids of the callback, or array of callbacks, that stands at `at`. @returns whether it had any. */
function readCallbackAt(at: string, value: Json, depth: number, taken: Taken): boolean {
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return readElements(`${at}[]`, value, depth - 1, taken);
  const keys = listedKeys(value, taken);
  if (keys.size === 0) return false;
  const prefix = at === "" ? "" : `${at}.`;
  let isEnvelope = false;
  for (const { path, first, below, isCallback } of LISTED) {
    let values: readonly Json[] | undefined = keys.get(first);
    if (values === undefined || (isEnvelope && path === "id")) continue;
    for (const name of below) values = valuesUnder(values, name, taken);
    let took = false;
    for (const candidate of values) {
      const tookThis = isCallback
        ? readCallbackAt(prefix + path, candidate, depth - 1, taken)
        : takeIds(prefix + path, candidate, taken);
      took ||= tookThis;
      isEnvelope ||= isCallback && typeof candidate === "object" && candidate !== null;
    }
    if (took) return true;
  }
  return false;
}

function readElements(at: string, elements: readonly Json[], depth: number, taken: Taken): boolean {
  let took = false;
  for (const element of elements) {
    // An array of bare ids is a batch too.
    const tookThis =
      typeof element === "string" ? takeIds(at, element, taken) : readCallbackAt(at, element, depth, taken);
    took ||= tookThis;
  }
  return took;
}

function takeIds(at: string, value: Json, taken: Taken): boolean {
  const values = Array.isArray(value) ? value : [value];
  let took = false;
  for (const one of values) {
    const uuid = typeof one === "string" ? asUuid(one) : null;
    if (uuid === null) continue;
    took = true;
    if (taken.ids.size >= READING_LIMITS.ids) break;
    taken.ids.add(uuid);
    taken.places.add(at);
  }
  return took;
}

function valuesUnder(values: readonly Json[], name: string, taken: Taken): readonly Json[] {
  const [only] = values;
  // Nearly always, and it spares an array for each place.
  if (values.length === 1 && only !== undefined) return listedKeys(only, taken).get(name) ?? [];
  return values.flatMap((one) => listedKeys(one, taken).get(name) ?? []);
}

function listedKeys(value: Json, { listed }: Taken): ListedKeys {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NONE;
  const known = listed.get(value);
  if (known !== undefined) return known;
  let keys = NONE;
  for (const key in value) {
    const plain = key.length > LONGEST_KEY ? "" : plainName(key);
    const under = value[key];
    if (!LISTED_NAMES.has(plain) || under === undefined) continue;
    if (keys === NONE) keys = new Map();
    const values = keys.get(plain);
    if (values === undefined) keys.set(plain, [under]);
    else values.push(under);
  }
  listed.set(value, keys);
  return keys;
}

const HEX = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const BARE = new RegExp(`^${HEX}$`, "i");
const DRESSED = new RegExp(`^\\s*(?:urn:uuid:)?\\{?(${HEX})\\}?\\s*$`, "i");
/** An escape of a form, folded into another form perhaps, or of JSON: its last letter begins no word. */
const ESCAPE = /(?:%(?:25)*[0-9a-f]{2}|\\[bfnrt]|\\u[0-9a-f]{4})$/i;
const LONGEST_ESCAPE = 9;
const WORD = /[0-9a-z]/i;

/** The length of a UUID: a shorter text cannot hold one. */
export const UUID_LENGTH = 36;

/**
 * The UUID that a text is, in lower case, or null. Invoice ids are UUIDs because this API's are: here that is
 * decided for what a callback names, and the tables' columns hold nothing else. Any version; surrounding space, braces (.NET's "B" format)
 * and `urn:uuid:` are taken off. 32 hex digits without dashes are not taken: MD5 sums, tokens and trace ids
 * look the same, and the interface (part A) writes ids with dashes.
 */
export function asUuid(text: string): string | null {
  if (text.length === UUID_LENGTH) return BARE.test(text) ? notNil(text.toLowerCase()) : null;
  if (text.length < UUID_LENGTH || text.length > 64) return null;
  const inside = DRESSED.exec(text)?.[1];
  return inside === undefined ? null : notNil(inside.toLowerCase());
}

/** Every UUID within a text that is no part of a longer word, in order, in lower case. Repeats are not left out. */
export function uuidsIn(text: string): string[] {
  const found: string[] = [];
  // From dash to dash: a pattern would be tried at every character, and takes three times as long.
  for (let dash = text.indexOf("-", 8); dash !== -1; dash = text.indexOf("-", dash + 1)) {
    const at = dash - 8;
    if (text[at + 13] !== "-" || text[at + 18] !== "-" || text[at + 23] !== "-") continue;
    const uuid = text.slice(at, at + UUID_LENGTH);
    if (!BARE.test(uuid) || WORD.test(text[at + UUID_LENGTH] ?? "")) continue;
    if (WORD.test(text[at - 1] ?? "") && !ESCAPE.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at)))
      continue;
    if (notNil(uuid) !== null) found.push(uuid.toLowerCase());
    dash = at + UUID_LENGTH - 1;
  }
  return found;
}

/**
 * The nil UUID, which .NET and others send for "no id yet": asking for it would only hide the id elsewhere.
 */
function notNil(uuid: string): string | null {
  return uuid === NIL_UUID ? null : uuid;
}

const UNRELATED = new Set(UNRELATED_KEYS.map(plainName));

/** Whether a UUID under this key, as `plainName` writes it, is never an invoice's. */
export const isUnrelated = (plain: string): boolean => UNRELATED.has(plain);

/**
 * The distinct UUIDs of a document in their order, keys as well as values, without those under a key that is
 * never an invoice's. It goes as deep as parsing does.
 */
export function scanForUuids(document: Json): string[] {
  const found = new Set<string>();
  const take = (text: string) => {
    if (text.length >= UUID_LENGTH) for (const uuid of uuidsIn(text)) found.add(uuid);
  };
  const walk = (value: Json): void => {
    if (typeof value === "string") take(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === "object" && value !== null)
      for (const key in value) {
        take(key);
        const below = value[key] ?? null;
        // Most values are short texts and numbers, whose key is not worth a look.
        const mayHold =
          typeof below === "object" || (typeof below === "string" && below.length >= UUID_LENGTH);
        if (mayHold && !isUnrelated(plainName(key))) walk(below);
      }
  };
  walk(document);
  return [...found];
}
