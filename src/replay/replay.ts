import type { Selectable } from "kysely";
import type { ReplayTable } from "../database/tables.ts";

export type ReplayKind = Selectable<ReplayTable>["kind"];
export type ReplayState = Selectable<ReplayTable>["state"];

/** Which of the log is run again; what is left out does not restrict. */
export interface ReplayFilters {
  /**
   * ISO 8601, inclusive. When it was last asked for (confirmations), received (callbacks), or made (events).
   */
  from?: string | undefined;
  /** ISO 8601, exclusive; the moment the replay was asked for when left out. */
  to?: string | undefined;
  /** Lower case. */
  invoiceIds?: string[] | undefined;
  /** The collection's name, as invoices carry it. */
  collection?: string | undefined;
  /** Of the invoice's confirmation; for callbacks also `unreadable`, `ping` or `refused`. */
  verdict?: string | undefined;
  source?: string | undefined;
  /** Of events only. */
  eventType?: string | undefined;
  /** Of callbacks only: these and no other. */
  callbackIds?: string[] | undefined;
  /** Of callbacks only: those that a signature or address check refused, too. */
  refused?: boolean | undefined;
}

/** The rate when none is asked for, a second. */
export const DEFAULT_RATES = { confirmations: 20, callbacks: 200, events: 100 } as const;

/** Where a replay of events goes. */
export type ReplayTarget =
  /** The topics that the settings name. */
  | { kind: "topics" }
  | { kind: "other_topic"; topicArn: string }
  /** NDJSON, one payload a line, on the machine that runs it. */
  | { kind: "file"; path: string };

/** How far it has come in the order of its kind; times as Postgres writes them, to the microsecond. */
export interface Position {
  at?: string;
  id: string;
  source?: string;
  /** How long the file is up to here. */
  bytes?: number;
}

/** One replay, as lists and the admin API show it. */
export interface Replay {
  id: string;
  kind: ReplayKind;
  state: ReplayState;
  filters: ReplayFilters;
  target: ReplayTarget;
  /** The most a second. */
  rate: number;
  requestedBy: string;
  requestedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** How many there were when it was asked for. */
  matching: number;
  /** How many of them are behind it. */
  handled: number;
  /** Confirmations opened. */
  opened: number;
  /** Entries that SNS accepted, or lines written. */
  sent: number;
  /** Entries that SNS refused; they stand in its refusals by name. */
  refused: number;
  /** Someone works on it now. */
  underWay: boolean;
  /** Why it does not go on at the moment; null when it does. */
  waitsFor: string | null;
  lastError: string | null;
}

/** A replay that this process holds the lease of. */
export interface HeldReplay extends Replay {
  leaseToken: string;
  position: Position | null;
}
