/**
 * What was seen of a run from outside, one line each; times are in ms since 1970 by the machine's clock. The
 * terms are those of the interface and of SNS: no type of the relay is used here.
 */
export type Happening =
  | Begun
  | CallbackSent
  | CallbackAnswered
  | InvoiceBecame
  | InvoiceAsked
  | InvoiceSaid
  | Accepted
  | Alarmed
  | Told
  | Fault
  | ProcessChanged;

/** The first line: describes the run. */
export interface Begun {
  what: "begun";
  at: number;
  seed: number;
  /** By name: the topics that belong to a source. */
  sources: Record<string, { topicArn: string; testTopicArn: string | null }>;
  /** How long a lease lasts, in ms. */
  leaseMs: number;
}

export interface CallbackSent {
  what: "sent";
  at: number;
  /** Sent as the header `x-webhook-id`, so that its row in the log can be found. */
  id: string;
  to: string;
  source: string;
  method: string;
  query: string;
  /** SHA-256 of the body, hex. */
  body: string;
  /** The invoices that it names, which the relay has to find. */
  invoiceIds: string[];
}

/** `status` is null when no answer came. */
export interface CallbackAnswered {
  what: "answered";
  at: number;
  id: string;
  status: number | null;
  retryAfter: string | null;
}

/** The invoice's state at the provider changed; `sources` are those whose keys may see it. */
export interface InvoiceBecame {
  what: "became";
  at: number;
  invoiceId: string;
  status: string;
  type: string;
  sources: string[];
}

/** A Get Invoice arrived at the provider. */
interface InvoiceAsked {
  what: "asked";
  at: number;
  /** Joins it with its answer. */
  ask: string;
  source: string;
  invoiceId: string;
}

/** The answer to a Get Invoice. */
interface InvoiceSaid {
  what: "said";
  at: number;
  ask: string;
  status: number;
  /** The answer's `data`; null without it, or when the answer did not follow the interface. */
  invoice: Record<string, unknown> | null;
  /** The Retry-After of a 429; null otherwise. */
  retryAfterS: number | null;
  /** `cut`: the provider broke off; `closed`: the caller disconnected first. */
  end: "whole" | "cut" | "closed";
}

/** SNS took a message. */
export interface Accepted {
  what: "accepted";
  at: number;
  topicArn: string;
  messageId: string;
  message: string;
  /** The message attribute `replay`. */
  replay: string | null;
}

/** A process logged that it raised an alarm, or that one ended. */
export interface Alarmed {
  what: "alarm";
  at: number;
  process: string;
  name: string;
  source: string;
  subject: string;
  raised: boolean;
}

/** A message about this alarm reached the webhook. */
export interface Told {
  what: "told";
  at: number;
  name: string;
  source: string;
  subject: string;
  /** As it was written, ISO 8601. */
  raisedAt: string;
  /** null while it is open. */
  clearedAt: string | null;
}

/** A fault began or ended. */
export interface Fault {
  what: "fault";
  at: number;
  /** Joins its beginning with its end. */
  id: string;
  kind: string;
  /** `strikes`: has no duration, although its consequences may last. */
  state: "begins" | "ends" | "strikes";
  detail: string;
}

export interface ProcessChanged {
  what: "process";
  at: number;
  name: string;
  pid: number;
  state: "started" | "killed" | "paused" | "continued" | "stopping" | "ended";
  /** Once it has ended: what it did, such as `serve`, and its exit code; null after a signal. */
  doing?: string;
  code?: number | null;
}
