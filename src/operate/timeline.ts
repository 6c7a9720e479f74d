import type { ConfirmationState, OpenedBy, Priority, Verdict } from "../confirm/queue/confirmation.ts";
import type { EventState } from "../publish/event.ts";

/** All that the tables say about one invoice; no personal data, no document, no secret. */
export interface Timeline {
  invoiceId: string;
  /** The newest confirmed answer of each source that has one. */
  invoices: KnownInvoice[];
  /** One for each source that asked. */
  confirmations: ConfirmationStanding[];
  /** One for each source that has one. */
  events: EventStanding[];
  /** In the order of time. */
  entries: Entry[];
  /** Callbacks beyond those among the entries. */
  furtherCallbacks: number;
  /** Topics that take nothing now. */
  closedTopics: ClosedTopic[];
}

export interface KnownInvoice {
  source: string;
  status: string;
  type: string | null;
  collectionName: string | null;
  reference: string | null;
  /** Decimal string. */
  totalAmount: string | null;
  paidAt: Date | null;
  confirmedAt: Date;
  erasedAt: Date | null;
}

export interface ConfirmationStanding {
  source: string;
  state: ConfirmationState;
  verdict: Verdict | null;
  priority: Priority;
  /** How often it was asked for: callbacks, reconcile, replays. */
  requests: number;
  /** Answers that called for another try. */
  attempt: number;
  /** Failures in a row. */
  faults: number;
  dueAt: Date;
  claimedUntil: Date | null;
  lastError: string | null;
  sourcePausedBy: "operator" | "refused" | null;
  /** While the source backs off: until when. */
  sourceOpensAt: Date | null;
  sourceError: string | null;
}

export interface EventStanding {
  source: string;
  id: string;
  type: string;
  state: EventState;
  attempt: number;
  /** null once it is published. */
  dueAt: Date | null;
  lastError: string | null;
}

export interface ClosedTopic {
  arn: string;
  pausedBy: "operator" | "refused" | null;
  opensAt: Date | null;
  lastError: string | null;
}

export type Entry = { at: Date } & (
  | {
      kind: "callback";
      id: string;
      source: string;
      method: string;
      remoteAddress: string | null;
      foundBy: string | null;
      verdict: string | null;
      /** null once its personal data was erased. */
      bytes: number | null;
    }
  | { kind: "confirmation"; source: string; openedBy: OpenedBy }
  | { kind: "paid"; source: string }
  | { kind: "answer"; source: string; status: string; storedAt: Date }
  | { kind: "verdict"; source: string; verdict: Verdict | null; state: "done" | "dead" }
  | { kind: "event"; source: string; id: string; type: string }
  | {
      kind: "publication";
      source: string;
      topicArn: string;
      messageId: string;
      replayId: string | null;
      /** Who asked for that replay. */
      replayedBy: string | null;
    }
  | { kind: "ask_failed" | "send_failed"; source: string; error: string }
  /** What a person did by hand. */
  | { kind: "action"; actor: string; action: string; subject: string; reason: string | null }
  | { kind: "alarm"; source: string; name: string; detail: string; times: number }
  | { kind: "alarm_cleared"; source: string; name: string }
);

/** What is listed first when two entries carry the same time. */
const ORDER: Record<Entry["kind"], number> = {
  paid: 0,
  callback: 1,
  confirmation: 2,
  answer: 3,
  ask_failed: 4,
  verdict: 5,
  action: 6,
  event: 7,
  send_failed: 8,
  publication: 9,
  alarm: 10,
  alarm_cleared: 11,
};

/** The order of a timeline's entries. */
export const byTime = (one: Entry, other: Entry): number =>
  +one.at - +other.at || ORDER[one.kind] - ORDER[other.kind];
