import type { Lane, OpenedBy, Verdict } from "../database/tables.ts";

/** All that the tables say about one invoice; no personal data, no document, no secret. */
export interface Timeline {
  invoiceId: string;
  /** The newest confirmed answer; null while there is none. */
  invoice: KnownInvoice | null;
  /** One for each source that asked. */
  questions: QuestionState[];
  event: EventState | null;
  /** In the order of time. */
  entries: Entry[];
  /** Callbacks beyond those among the entries. */
  furtherCallbacks: number;
  /** Topics that take nothing now. */
  shutTopics: ShutTopic[];
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
}

export interface QuestionState {
  source: string;
  state: "due" | "claimed" | "done" | "dead";
  verdict: Verdict | null;
  lane: Lane;
  /** How often it was asked for: callbacks, reconcile, replays. */
  requests: number;
  /** Answers that called for another try. */
  attempt: number;
  /** Failures in a row. */
  faults: number;
  dueAt: Date;
  claimedUntil: Date | null;
  lastError: string | null;
  sourcePausedBy: "operator" | "key_refused" | null;
  /** While the source backs off: until when. */
  sourceOpensAt: Date | null;
  sourceError: string | null;
}

export interface EventState {
  id: string;
  type: string;
  state: "due" | "claimed" | "held" | "published" | "dead";
  attempt: number;
  dueAt: Date;
  lastError: string | null;
}

export interface ShutTopic {
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
      bytes: number;
    }
  | { kind: "question"; source: string; openedBy: OpenedBy }
  | { kind: "answer"; source: string; status: string; storedAt: Date }
  | { kind: "verdict"; source: string; verdict: Verdict | null; state: "done" | "dead" }
  | { kind: "released"; source: string }
  | { kind: "event"; id: string; type: string }
  | { kind: "publication"; topicArn: string; messageId: string; replayId: string | null }
  | { kind: "alarm"; name: string; detail: string; times: number }
  | { kind: "alarm_cleared"; name: string }
);
