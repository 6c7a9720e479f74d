import type { Remedy } from "../errors/index.ts";

/**
 * All that is said of an alarm, wherever it is shown. `npm run documents` makes its heading in the runbook
 * and its place in Prometheus' rules; lists, the webhook and the console read it while running.
 */
export interface AlarmDefinition {
  /** critical: it keeps payments from their events, or hides one. */
  severity: Severity;
  /** After this many minutes it is critical, whatever it was before. */
  criticalAfterMinutes?: number;
  /** What people read in the place of its name: of one, and after their number. */
  title: readonly [one: string, several: string];
  /** What its subject names. */
  about: AlarmTopic;
  /** What is wrong, for the runbook. */
  means: string;
  /** What ends it, as the end of a sentence, for the runbook. */
  ends: string;
  /** What lasts, or happened once, is over so long after it was last raised: an interval of Postgres. */
  quietAfter?: string;
  /** What to do in a sentence, for lists; no command stands in it. */
  action: string;
  /** What does it, or leads there, about one alarm. */
  remedy?: (about: AlarmAbout) => Remedy;
  /** Where several of that name are listed, if not among the alarms. */
  listedBy?: Remedy;
  /** What to do at length, for the runbook. */
  todo: string;
}

/** What tells one alarm of a name from another. */
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
