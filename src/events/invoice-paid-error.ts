/** Why something that was received gives no event. */
export type InvoicePaidErrorKind =
  /** Nothing that the called function can read. */
  | "unreadable"
  /** An SNS message about the subscription, not a notification: `confirmSubscription` takes it. */
  | "not_a_notification"
  /** It comes from a topic that was not named. */
  | "untrusted_topic"
  /** It was signed too long ago, or in the future. */
  | "stale"
  /** It was signed with SHA-1: the topic's attribute SignatureVersion is not 2. */
  | "weak_signature"
  /** The certificate stands where SNS keeps none, or it is not valid now. */
  | "untrusted_certificate"
  /** The signature does not fit: it was not sent by SNS, or was changed on its way. */
  | "forged"
  /** The certificate, or the subscription's address, could not be fetched, or may not be just now. */
  | "unreachable"
  /** An event of another type or version than this one. */
  | "another_event"
  /** It says that it is an `invoice.paid`, and does not look like one. */
  | "invalid_event";

/** What was received is no event for a handler. Its message holds nothing of what was received but names. */
export class InvoicePaidError extends Error {
  readonly kind: InvoicePaidErrorKind;
  /** Whether the same input may be good another time: then let it be delivered again. */
  readonly retry: boolean;

  constructor(kind: InvoicePaidErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "InvoicePaidError";
    this.kind = kind;
    // Whoever has set up the topic wrongly should lose nothing until that is put right.
    this.retry = kind === "unreachable" || kind === "weak_signature";
  }
}
