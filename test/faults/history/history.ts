/**
 * What was seen of a run from outside, one line each; every time is in ms since 1970 on the machine's own
 * clock. The words are the interface's and SNS' own: no type of the relay is used here.
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

/** The first line: what the run is about. */
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
  /** Sent along as the header `x-webhook-id`, so that its row in the log can be told from all others. */
  id: string;
  to: string;
  source: string;
  method: string;
  query: string;
  /** SHA-256 of the body, hex. */
  body: string;
  /** What it names, as its sender knows; the relay has to find them. */
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
export interface InvoiceAsked {
  what: "asked";
  at: number;
  /** Joins it with what was said. */
  ask: string;
  source: string;
  invoiceId: string;
}

/** What a Get Invoice was answered. */
export interface InvoiceSaid {
  what: "said";
  at: number;
  ask: string;
  status: number;
  /** The answer's `data`; null when it held none, or was no answer of the interface. */
  invoice: Record<string, unknown> | null;
  /** Of a 429: for how long nothing more is to be asked; null without one. */
  retryAfterS: number | null;
  /** `cut`: the provider itself broke it off; `closed`: the caller was gone before its end. */
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

/** A process said that it raised an alarm, or that one is over. */
export interface Alarmed {
  what: "alarm";
  at: number;
  process: string;
  name: string;
  source: string;
  subject: string;
  raised: boolean;
}

/** A message reached the people that tells of this alarm. */
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

/** Something was made to go wrong, or that is over. */
export interface Fault {
  what: "fault";
  at: number;
  /** Joins its beginning with its end. */
  id: string;
  kind: string;
  /** `strikes`: over as soon as it was told, though its consequences may last. */
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
