import type { CollectionApiError, CollectionApiErrorKind } from "../collection-api/index.ts";
import { withoutCallbackTokens } from "../kit/mask.ts";

/** What to do about each; the error's own message says what is wrong. */
const ADVICE: Partial<Record<CollectionApiErrorKind, string>> = {
  not_found: "Check the id, and whether the key belongs to the same account.",
  key_refused: "Check the key, its permissions, and whether this machine's address is allowed.",
  wrong_key_kind: "Use the account's Live key for Live invoices and its Test key for Test invoices.",
  collection_closed: "The key is valid. Open the collection at the provider, or use another one.",
  timeout: "Try again; CONFIRM_TIMEOUT sets how long an answer may take.",
  unreachable: "Check COLLECTION_API_URL, and whether the provider is up.",
  server_fault: "Try again in a while.",
  broken_json: "Check COLLECTION_API_URL: is this the API?",
  outside_contract: "Check COLLECTION_API_URL: is this the API?",
};

/**
 * A failed call to the provider in plain words: what was asked, what went wrong, what to do. Contains no
 * token.
 */
export function providerWords(error: CollectionApiError): string {
  const said = withoutCallbackTokens(error.message).replace(/(?<=[^.!?])$/, ".");
  // The message of a write with an unknown outcome already says what to do: check first.
  const advice = error.outcomeUnknown ? undefined : adviceFor(error);
  return advice === undefined ? said : `${said} ${advice}`;
}

function adviceFor({ kind, operation, retryAfterMs }: CollectionApiError): string | undefined {
  if (kind === "rate_limited") return waitFor(retryAfterMs);
  if (kind === "not_found" && operation === "Get Banks") return "Set its path with --banks-path.";
  return ADVICE[kind];
}

const waitFor = (ms: number | undefined): string =>
  ms === undefined ? "Try again in a while." : `Try again in ${Math.ceil(ms / 1_000)} s.`;
