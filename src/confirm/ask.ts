import {
  CollectionApiError,
  type CollectionApiErrorKind,
  type CollectionClient,
} from "../collection-api/index.ts";
import { messageOf } from "../kit/errors.ts";
import { quietText, withoutCallbackTokens } from "../kit/quiet-text.ts";
import { storableText } from "../kit/storable-text.ts";
import type { Answer } from "./answer.ts";

/** What each error of the client means to the relay, which has its own retries, kept in Postgres. */
const MEANING: Record<CollectionApiErrorKind, Exclude<Answer["kind"], "found">> = {
  not_found: "not_found",
  rate_limited: "rate_limited",
  key_refused: "key_refused",
  wrong_key_kind: "key_refused",
  collection_closed: "key_refused",
  timeout: "fault",
  unreachable: "fault",
  server_fault: "fault",
  broken_json: "fault",
  redirected: "fault",
  invalid: "outside_contract",
  rule_refused: "outside_contract",
  outside_contract: "outside_contract",
  wrong_id: "outside_contract",
  too_large: "outside_contract",
  list_unstable: "fault",
  aborted: "interrupted",
};

/** Get Invoice by ID, once. Whatever comes of it is an answer; nothing is thrown. */
export async function ask(
  client: CollectionClient,
  invoiceId: string,
  options: { timeoutMs: number; signal: AbortSignal; onExchanged?: () => void },
): Promise<Answer> {
  try {
    const { invoice, document } = await client.getInvoice(invoiceId, { ...options, retries: 0 });
    return { kind: "found", invoice, document, receivedAt: new Date() };
  } catch (error) {
    if (!(error instanceof CollectionApiError))
      return { kind: "fault", error: storableText(messageOf(error)) };
    const text = storableText(quietText(error.summary));
    const kind = MEANING[error.kind];
    switch (kind) {
      case "rate_limited":
        return { kind, error: text, retryAfterMs: error.retryAfterMs ?? null };
      case "outside_contract":
        return { kind, error: text, evidence: storableText(withoutCallbackTokens(error.evidence ?? "")) };
      case "key_refused":
      case "fault":
        return { kind, error: text };
      case "not_found":
      case "interrupted":
        return { kind };
    }
  }
}
