import { createHash, timingSafeEqual } from "node:crypto";
import { inspect } from "node:util";
import { endOfString } from "./json.ts";

/** The rights of a token's holder: look; look and act; everything, including irreversible acts. */
export const ROLES = ["read", "operate", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** A role may do all that the roles before it may. */
export const mayAct = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Every way of turning it into text yields `[secret]`; only `reveal()` gives it out. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  equals(other: string): boolean {
    const digest = (text: string) => createHash("sha256").update(text).digest();
    return timingSafeEqual(digest(this.#value), digest(other));
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

// Which fields are about a person: the one list behind the log's mask, the mask of evidence, erasing, and the
// tests that no attribute of a message, column of an export or line of a log holds one.

/** A field of the provider's answer, the part of our event that repeats it, and its column in `invoice`. */
interface PersonalField {
  answer: string;
  event: "payer" | "biller" | "metadata" | "title" | "reference";
  column?: string;
}

export const PERSONAL_FIELDS: readonly PersonalField[] = [
  { answer: "payerName", event: "payer" },
  { answer: "payerEmail", event: "payer" },
  { answer: "payerPhoneNumber", event: "payer" },
  { answer: "billerName", event: "biller" },
  { answer: "billerAddress", event: "biller" },
  { answer: "billerEmail", event: "biller" },
  { answer: "billerMetaData", event: "metadata" },
  // The merchant's own words, which may name anyone.
  { answer: "title", event: "title", column: "title" },
  { answer: "callBackUrl", event: "reference", column: "reference" },
];

/** The values that replace them in an erased event. */
export const ERASED_IN_EVENT: Readonly<Record<string, unknown>> = Object.fromEntries(
  PERSONAL_FIELDS.map(({ event }) => [event, event === "metadata" ? {} : null]),
);

/** The columns of `invoice` that erasing empties. */
export const ERASED_COLUMNS = PERSONAL_FIELDS.flatMap(({ column = [] }) => column);

/** Whose name a key may hold; collection, bank and channel names are not personal. */
const NAMES = new Set(
  ["", "payer", "biller", "customer", "user", "first", "last", "full", "account"].map(
    (whose) => `${whose}name`,
  ),
);
const CONTACT = /(?:email|phone|phonenumber|address|accountnumber)$/;
const METADATA = new Set(["metadata", "billermetadata"]);

/** The text of a person, or an object in which anything may stand. Keys without `_`, in lower case. */
export function personalKind(key: string): "text" | "object" | null {
  const plain = key.replaceAll("_", "").toLowerCase();
  if (METADATA.has(plain)) return "object";
  return NAMES.has(plain) || CONTACT.test(plain) ? "text" : null;
}

/** Removes the secrets from a text. */
export type Mask = (text: string) => string;

const MASK = "***";

/** A slash as URLs, JSON and HTML write it; percent-encoded any number of times. */
const SLASH = String.raw`(?:\\?\/|%(?:25)*2f|\\u002f|&#(?:x2f|47);)`;

/** A segment of a path: up to what ends it, percent-encoded or not, or to the colon of a sentence. */
const SEGMENT = String.raw`(?:[^/?#&%:\s"'<>\\]|:(?!\s)|%(?!(?:25)*(?:2f|3f|23|26|22|20)))+`;

// The plain word first, by which a text is searched several times as fast as by what may stand before it.
const CALLBACK_TOKEN = new RegExp(`(callbacks(?<=${SLASH}callbacks)${SLASH}+)${SEGMENT}`, "gi");

/** Text without callback tokens, ours or not: what follows `/callbacks/`, however the slashes are encoded. Linear. */
export const withoutCallbackTokens = (text: string): string => text.replaceAll(CALLBACK_TOKEN, `$1${MASK}`);

/**
 * A mask for tokens that are known, wherever they stand; tokens behind `/callbacks/` are masked as well.
 * @param tokens letters, digits, `-` and `_`, as the settings take them.
 */
export function maskOf(tokens: readonly Secret[]): Mask {
  const known = tokens.map((token) => token.reveal()).filter((token) => token !== "");
  // An empty alternative would match everywhere.
  const plain = new RegExp(known.length > 0 ? known.join("|") : "(?!)", "g");
  return (text) => withoutCallbackTokens(text.replace(plain, MASK));
}

/** The part of a foreign error that is read, in characters; the rest is left out. */
const LONGEST_ERROR = 8_192;
const LONGEST_WORD = 512;

// Each pattern begins with something that its own repetition cannot hold, or is bounded: even in hostile text a
// character is read only a few times.
const CREDENTIALS: readonly [pattern: RegExp, instead: string][] = [
  [/\b(bearer|basic)\s{1,8}[\w.~+/=-]{8,}/gi, "$1 ***"],
  [/(:\/\/)[^\s/@"']+@/g, "$1***@"],
  [
    /\b(x-api-key|x-amz-security-token|authorization|cookie|password|api[_-]?key)(["']?\s{0,8}[:=]\s{0,8}["']?)[^\s"',;]+/gi,
    "$1$2***",
  ],
];

/** Everything between two delimiters that has an `@` in it; the look back lets only the run's beginning match. */
const RUN_WITH_AT = /(?<![^\s"'<>(),:;])[^\s"'<>(),:;@]*@[^\s"'<>(),:;]*/g;

/** International, or with a leading zero; a UUID's or a date's digits are left alone. */
const PHONE = /(?<![\w.:-])(?:\+\d[\d ().-]{6,16}\d|0\d[\d ().-]{6,16}\d(?![\w:-]))/g;

/**
 * Foreign words (an error of the provider, of SNS, of Postgres) before they are logged or stored: callback tokens,
 * credentials, e-mail addresses and phone numbers are masked. A name cannot be told from other words, so texts that
 * may hold a name are not quoted at all.
 * @returns at most 8,192 characters.
 */
export function quietText(text: string): string {
  const quiet = CREDENTIALS.reduce(
    (masked, [pattern, instead]) => masked.replaceAll(pattern, instead),
    withoutCallbackTokens(firstWords(text)),
  );
  return withoutContacts(quiet);
}

/** Any text without e-mail addresses and phone numbers. Linear in the text. */
const withoutContacts = (text: string): string => withoutEMailAddresses(text).replaceAll(PHONE, "[phone]");

export function withoutEMailAddresses(text: string): string {
  return text.includes("@") ? text.replaceAll(RUN_WITH_AT, maskedRun) : text;
}

/** In `to=ada@example.com` or a path, what stands before the last `=`, `/` or `*` is no part of the address. */
function maskedRun(run: string): string {
  for (let at = run.indexOf("@"); at !== -1 && at + 1 < run.length; at = run.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && !"=/*".includes(run[start - 1] as string)) start -= 1;
    if (start < at) return `${run.slice(0, start)}[e-mail]`;
  }
  return run;
}

/**
 * The beginning of a long text: people read no more of an error, and matching costs less. Half an address at the
 * cut would not look like one any more: its whole word goes, unless that is endless.
 */
export function firstWords(text: string): string {
  if (text.length <= LONGEST_ERROR) return text;
  const end = Math.max(text.lastIndexOf(" ", LONGEST_ERROR), LONGEST_ERROR - LONGEST_WORD);
  return `${text.slice(0, end)}…`;
}

/** The length of `/callbacks/` and one character; no token is shorter either. */
const SHORTEST = 12;

/** A value that becomes JSON, with every text of it masked, names of fields included. */
export function withTextsMasked(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return value.length < SHORTEST ? value : mask(value);
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((one) => withTextsMasked(one, mask));
  if ("toJSON" in value && typeof value.toJSON === "function") return withTextsMasked(value.toJSON(), mask);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.length < SHORTEST ? name : mask(name),
      withTextsMasked(one, mask),
    ]),
  );
}

/** No key in the list is longer. */
const LONGEST_KEY = 64;

/** More than any evidence or event has (both are cut, or bounded by SNS): anything beyond is left out. */
const LONGEST_EVIDENCE = 262_144;

/**
 * Evidence for a screen or `--json`: names, addresses, phone numbers, metadata and callback tokens are
 * masked. It takes any text, JSON that was cut off included, and walks over it once.
 * @returns the first 262,144 characters at most, masked.
 */
export function maskedEvidence(evidence: string): string {
  const text = evidence.length > LONGEST_EVIDENCE ? `${evidence.slice(0, LONGEST_EVIDENCE)}…` : evidence;
  const parts: string[] = [];
  let kept = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    const end = endOfString(text, at) + 1;
    const colon = skipSpace(text, end);
    if (text[colon] !== ":") {
      at = end;
      continue;
    }
    const value = skipSpace(text, colon + 1);
    at = endOfMasked(text, text.slice(at + 1, Math.min(end - 1, at + 1 + LONGEST_KEY)), value);
    if (at === value) continue;
    parts.push(text.slice(kept, value), `"${MASK}"`);
    kept = at;
  }
  return withoutContacts(withoutCallbackTokens(parts.join("") + text.slice(kept)));
}

/** The mask of evidence for a person of this role: `read` sees nothing about a payer, as in exports. */
export const personalMaskOf = (role: Role): Mask =>
  mayAct(role, "operate") ? (text) => text : maskedEvidence;

/** Where the value that begins at `value` ends if it is to be masked; else `value` itself. */
function endOfMasked(text: string, key: string, value: number): number {
  const kind = personalKind(key);
  if (text[value] === '"' && kind !== null) return endOfString(text, value) + 1;
  return text[value] === "{" && kind === "object" ? endOfObject(text, value) : value;
}

function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  return at;
}
