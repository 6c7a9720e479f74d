import type { CollectionApiError, CollectionApiErrorKind } from "../collection-api/index.ts";
import { withoutCallbackTokens } from "../kit/mask/callback-tokens.ts";

/** What a person does about it; the error's own message says what is wrong. */
const ADVICE: Partial<Record<CollectionApiErrorKind, string>> = {
  not_found: "Check the id, and whether the key belongs to the same account.",
  key_refused:
    "Check the key, whether it may do this, and whether it is allowed from this machine's address.",
  wrong_key_kind: "Use the account's Live key for what is Live, and its Test key for what is Test.",
  collection_closed: "The key is good. Open the collection at the provider, or use another.",
  timeout: "Try again; CONFIRM_TIMEOUT says how long an answer may take.",
  unreachable: "Check COLLECTION_API_URL, and whether the provider is up.",
  server_fault: "Try again in a while.",
  broken_json: "Check COLLECTION_API_URL: is this the API?",
  outside_contract: "Check COLLECTION_API_URL: is this the API?",
};

/**
 * A failed operation of the provider in plain words: what was asked, what went wrong, what to do. No token
 * is part of it.
 */
export function providerWords(error: CollectionApiError): string {
  const said = withoutCallbackTokens(error.message).replace(/(?<=[^.!?])$/, ".");
  // A write whose outcome nobody knows has its advice already: look first.
  const advice = error.outcomeUnknown ? undefined : adviceFor(error);
  return advice === undefined ? said : `${said} ${advice}`;
}

function adviceFor({ kind, operation, retryAfterMs }: CollectionApiError): string | undefined {
  if (kind === "rate_limited") return waitFor(retryAfterMs);
  if (kind === "not_found" && operation === "Get Banks") return "Say its path with --banks-path.";
  return ADVICE[kind];
}

const waitFor = (ms: number | undefined): string =>
  ms === undefined ? "Try again in a while." : `Try again in ${Math.ceil(ms / 1_000)} s.`;
