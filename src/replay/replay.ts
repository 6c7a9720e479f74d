import type { Selectable } from "kysely";
import type { Tables } from "../database/tables.ts";

export type ReplayKind = Selectable<Tables["replay"]>["kind"];
export type ReplayState = Selectable<Tables["replay"]>["state"];

/** What part of the log to run again; an omitted filter matches everything. */
export interface ReplayFilters {
  /**
   * ISO 8601, inclusive: when last requested (confirmations), received (callbacks) or created (events).
   */
  from?: string | undefined;
  /** ISO 8601, exclusive; by default the time the replay was started. */
  to?: string | undefined;
  /** Lower case. */
  invoiceIds?: string[] | undefined;
  /** The collection's name, as it appears in invoices. */
  collection?: string | undefined;
  /** Of the invoice's confirmation; for callbacks also `unreadable`, `ping` or `refused`. */
  verdict?: string | undefined;
  source?: string | undefined;
  /** Only for events. */
  eventType?: string | undefined;
  /** Only for callbacks: just these. */
  callbackIds?: string[] | undefined;
  /** Only for callbacks: include those that a signature or address check refused. */
  refused?: boolean | undefined;
}

/** The default rates, per second. */
export const DEFAULT_RATES = { confirmations: 20, callbacks: 200, events: 100 } as const;

/** Where a replay of events goes. */
export type ReplayTarget =
  /** The topics that the settings name. */
  | { kind: "topics" }
  | { kind: "other_topic"; topicArn: string }
  /** NDJSON, one payload a line, on the machine that runs it. */
  | { kind: "file"; path: string };

/** The last item processed, in the order of its kind; times as Postgres writes them, to the microsecond. */
export interface Position {
  at?: string;
  id: string;
  source?: string;
  /** The length of the file up to here. */
  bytes?: number;
}

/** One replay, as lists and the admin API show it. */
export interface Replay {
  id: string;
  kind: ReplayKind;
  state: ReplayState;
  filters: ReplayFilters;
  target: ReplayTarget;
  /** The most per second. */
  rate: number;
  requestedBy: string;
  requestedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** How many items matched when it was started. */
  matching: number;
  /** How many of them are processed. */
  handled: number;
  /** Confirmations opened. */
  opened: number;
  /** Entries that SNS accepted, or lines written. */
  sent: number;
  /** Entries that SNS refused; `replay show` lists them. */
  refused: number;
  /** A process works on it now. */
  underWay: boolean;
  /** What it is waiting for; null when it is not waiting. */
  waitsFor: string | null;
  lastError: string | null;
}

/** A replay whose lease this process holds. */
export interface HeldReplay extends Replay {
  leaseToken: string;
  position: Position | null;
}

/** The result of one step of a replay; its progress is already saved. */
export type StepOutcome =
  /** This many items were processed, as the rate limit counts them. */
  | { kind: "went"; replay: HeldReplay; taken: number }
  | Waits
  /** Nothing is left. */
  | { kind: "ends" }
  /** It cannot continue until a person acts. */
  | { kind: "fails"; why: string };

/** Something else goes first, or a fault may pass: how long until it is tried again, in ms. */
export interface Waits {
  kind: "waits";
  why: string;
  ms: number;
  replay?: HeldReplay;
}

/** The work of one kind of replay, a few items at a time. */
export interface ReplaySteps {
  /** Processes the next items of a replay, at most `limit`, and saves the progress. */
  next(replay: HeldReplay, limit: number): Promise<StepOutcome>;
  /** What the last step did is not saved yet: others are not let first, who would do it once more. */
  readonly hasUnsaved?: boolean;
}
