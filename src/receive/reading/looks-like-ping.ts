import type { Json } from "./parse-json.ts";
import { plainName } from "./plain-name.ts";

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
