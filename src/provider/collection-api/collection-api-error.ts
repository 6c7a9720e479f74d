import { type ErrorCode, type Next, RelayError } from "../../platform/errors/index.ts";
import { firstWords, type Secret, sentence, withoutEMailAddresses } from "../../platform/values/index.ts";

interface Meaning {
  /** The next step for a caller without a policy of its own. */
  readonly next: Next;
  readonly code?: ErrorCode;
  /** How an answer's HTTP status, or its words, are put. */
  readonly detail?: string;
}

const REDIRECTED = "the provider answers with a redirect, which is not followed: check the base URL";

/** The kinds of error. */
const KINDS = {
  /** 404, or the specified message under any status. */
  not_found: { next: "refuse", code: "not_found", detail: "the provider knows no such id" },
  /** 429; `retryAfterMs` where the provider said it. */
  rate_limited: { next: "retry", code: "provider_away", detail: "the provider asks for fewer requests" },
  /** 401 or 403: the key, what it may do, or a collection that is closed. The message says which. */
  key_refused: { next: "pause", detail: "the provider refuses the key" },
  /** The request was refused as wrong, by the provider (400 and its kin) or before it was sent. */
  invalid: { next: "refuse", detail: "the provider calls the request wrong" },
  /** A business rule refused it: 409, 412, or the specified message under any status. */
  rule_refused: { next: "refuse", detail: "the provider's rules refuse it" },
  /** The whole answer was not there in time. */
  timeout: { next: "retry", code: "provider_away", detail: "the provider waited too long for the request" },
  /** No connection, or it broke before the whole answer was there. */
  unreachable: { next: "retry", code: "provider_away" },
  /** 5xx. */
  server_fault: { next: "retry", code: "provider_away", detail: "the provider failed" },
  /** A success whose body is no JSON. */
  broken_json: { next: "retry" },
  /** JSON that is not what the interface says; `evidence` holds it. */
  outside_contract: { next: "bury", detail: "answered outside the contract" },
  /** The answer is about another id than the one asked for. */
  wrong_id: { next: "bury" },
  /** The answer is larger than 1 MiB, or its headers are. */
  too_large: { next: "bury" },
  /** 3xx: not followed, since that would carry the key away. */
  redirected: { next: "pause", detail: REDIRECTED },
  /** The caller's AbortSignal. */
  aborted: { next: "retry" },
} as const satisfies Record<string, Meaning>;

export type CollectionApiErrorKind = keyof typeof KINDS;

export const meaningOf = (kind: CollectionApiErrorKind): Meaning => KINDS[kind];

/** How much of an answer is kept as evidence, in characters. */
const EVIDENCE_LIMIT = 32_768;

export interface FaultDetails {
  kind: CollectionApiErrorKind;
  /** Completes "<operation>: …" for a person. */
  detail: string;
  /** The HTTP status, where there was an answer. */
  status?: number | undefined;
  /** The provider's message, for a person. */
  providerMessage?: string | undefined;
  /** The problems, field by field, in our words or the provider's. */
  problems?: readonly string[] | undefined;
  retryAfterMs?: number | undefined;
  /** The request may have been carried out although no answer says so. */
  outcomeUnknown?: boolean | undefined;
  /** The answer's text as it was received. */
  evidence?: string | undefined;
  /** Whether the provider itself said so, in its envelope; a gateway in front of it does not use one. */
  inEnvelope?: boolean | undefined;
}

/**
 * An operation of the Invoice Collection API that did not succeed. Branch on `kind`, or on `next`. Neither
 * its message, its JSON, its stack nor its inspection holds the key; e-mail addresses are left out as well.
 */
export class CollectionApiError extends RelayError {
  readonly kind: CollectionApiErrorKind;
  /** The interface's name of the operation, such as `Create Invoice`. */
  readonly operation: string;
  readonly status: number | undefined;
  readonly providerMessage: string | undefined;
  readonly problems: readonly string[];
  /** The message without the provider's own words, which may hold a name: for logs and for what is kept. */
  readonly summary: string;
  readonly retryAfterMs: number | undefined;
  /**
   * True when a Create, Invalidate or Add Linked Account may have been carried out: check before repeating
   * it.
   */
  readonly outcomeUnknown: boolean;
  /** Whether the refusal came in the provider's own envelope: a bare 404 may be a gateway's or a wrong base URL's. */
  readonly inEnvelope: boolean;
  // Private, so that no logger prints what may hold personal data.
  readonly #evidence: string | undefined;

  constructor(operation: string, details: FaultDetails, key: Secret) {
    const clean = (text: string) => withoutEMailAddresses(withoutKey(firstWords(text), key)).slice(0, 500);
    const outcomeUnknown = details.outcomeUnknown ?? false;
    const providerMessage =
      details.providerMessage === undefined ? undefined : clean(details.providerMessage);
    const problems = (details.problems ?? []).slice(0, 20).map(clean);
    const said = [...new Set([providerMessage, ...problems])].filter((part) => part);
    const status = details.status === undefined ? "" : ` (HTTP ${details.status})`;
    const what = `${operation}: ${clean(details.detail)}${status}`;
    const message = `${what}${said.length > 0 ? `: ${said.join("; ")}` : "."}`;
    const look = " It may have been carried out: look before you repeat it.";
    super(outcomeUnknown ? sentence(message) + look : message, {
      next: outcomeUnknown ? "bury" : KINDS[details.kind].next,
      // A request found wrong before it was sent is a usage error; one that the provider refused is not.
      code: details.kind === "invalid" && status === "" ? "usage" : meaningOf(details.kind).code,
    });
    this.kind = details.kind;
    this.operation = operation;
    this.status = details.status;
    this.providerMessage = providerMessage;
    this.problems = problems;
    // Only what our own schema found wrong: it names fields and kinds.
    const ours = details.kind === "outside_contract" ? problems : [];
    this.summary = ours.length > 0 ? `${what}: ${ours.join("; ")}` : what;
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = outcomeUnknown;
    this.inEnvelope = details.inEnvelope ?? false;
    this.#evidence =
      details.evidence === undefined
        ? undefined
        : withoutKey(details.evidence.slice(0, 2 * EVIDENCE_LIMIT), key).slice(0, EVIDENCE_LIMIT);
  }

  /** The answer's text (its first 32,768 characters), where there was one. May hold personal data. */
  get evidence(): string | undefined {
    return this.#evidence;
  }
}

function withoutKey(text: string, key: Secret): string {
  const plain = key.reveal();
  const inJson = JSON.stringify(plain).slice(1, -1);
  return [plain, inJson, encodeURIComponent(plain)].reduce(
    (clean, form) => clean.replaceAll(form, "[secret]"),
    text,
  );
}
