import type { AlarmName } from "../alarms/alarms.ts";
import type { ConfirmedInvoice } from "./invoices/confirmed-invoice.ts";
import type { StatusSets } from "./invoices/status-class.ts";
import type { NewEvent } from "./paid-event.ts";
import type { ConfirmationKey, Priority, Verdict } from "./queue/confirmation.ts";

/** What judging depends on besides the answer; one for each source. */
export interface Rules extends StatusSets {
  /** The names of the collections that may be published, in their present spelling; null for all. */
  collectionNames: ReadonlySet<string> | null;
  /** Why the names of some of them could not be read just now; null when all were. */
  collectionsUnread: string | null;
  /** Whether Test invoices have a topic of their own; without it their events are held. */
  hasTestTopic: boolean;
  personalData: "full" | "none";
  /** The zone of times that name none. */
  timeZone: string;
  /** Of its amounts. */
  currency: string;
  /** Whether the source is healthy: not backing off, and proven within the last minute by its own answers. */
  othersAreAnswered: boolean;
}

/** What follows from one answer: all that is written for it, in one transaction (answer-statement.ts). */
export interface Outcome extends ConfirmationKey {
  /** Written only while this is still the row's lease (G6). */
  leaseToken: string;
  /** What `requests` was at the claim; a higher count since then means that it is asked again. */
  requests: number;
  state: "due" | "done" | "dead";
  verdict: Verdict | null;
  /** For `due`: when it is asked again, in ms from now. */
  dueInMs: number;
  priority: Priority;
  attempt: number;
  faults: number;
  /** It answers what was requested before it: an age counts from later requests only. */
  covered: boolean;
  lastError: string | null;
  /** Evidence of an answer outside the contract. */
  lastAnswer: string | null;
  /** Without new evidence, that of an earlier answer stays: this one was no better. */
  keepsEvidence: boolean;
  invoice: ConfirmedInvoice | null;
  event: NewEvent | null;
  /** Alarms about the invoice. */
  raises: readonly RaisedAlarm[];
  clears: readonly AlarmName[];
}

export interface RaisedAlarm {
  name: AlarmName;
  detail: string;
}

/** What changes of a confirmation by its answer; the rest stays. */
export type Changes = Pick<Outcome, "state" | "verdict"> &
  Partial<Omit<Outcome, "raises">> & { raises?: RaisedAlarm[] };
