import type { Remedy } from "../errors/index.ts";

/**
 * All that is said of an alarm, wherever it is shown. `npm run documents` makes its heading in the runbook
 * and its place in Prometheus' rules; lists, the webhook and the console read it while running.
 */
export interface AlarmDefinition {
  /** critical: it keeps payments from their events, or hides one. */
  severity: Severity;
  /** Minutes after which it becomes critical. */
  criticalAfterMinutes?: number;
  /** The words that people read in place of its name: for one alarm, and behind the number of several. */
  title: readonly [one: string, several: string];
  /** The kind of thing that its subject names. */
  about: AlarmTopic;
  /** The fault, for the runbook. */
  means: string;
  /** The event that ends it, as the end of a sentence, for the runbook. */
  ends: string;
  /** An interval of Postgres: this long after it was last raised, it closes. */
  quietAfter?: string;
  /** The remedy in one sentence, for lists; without a command. */
  action: string;
  /** The operation that remedies one alarm, or leads there. */
  remedy?: (about: AlarmAbout) => Remedy;
  /** Where several of that name are listed, if not among the alarms. */
  listedBy?: Remedy;
  /** The remedy at length, for the runbook. */
  todo: string;
}

/** The fields that distinguish alarms of one name. */
export interface AlarmAbout {
  source: string;
  subject: string;
}

export type Severity = "critical" | "warning";

export type AlarmTopic =
  | "database"
  | "refused_callbacks"
  | "sender"
  | "upstream"
  | "invoice"
  | "dead_letter"
  | "quarantined_invoice"
  | "collection"
  | "certificate"
  | "replay"
  | "chore"
  | "process"
  | "work"
  | "webhook"
  | "backlog";
