import { ALARMS_OF_CALLBACKS } from "./definitions/callbacks.ts";
import { ALARMS_OF_PAYMENTS } from "./definitions/payments.ts";
import { ALARMS_OF_UPKEEP } from "./definitions/upkeep.ts";
import { ALARMS_OF_UPSTREAMS } from "./definitions/upstreams.ts";

/**
 * All that is said of an alarm, wherever it is shown. `npm run documents` makes its heading in the runbook
 * and its place in Prometheus' rules; lists, the webhook and the console read it while running.
 */
export interface AlarmDefinition {
  /** critical: it keeps payments from their events, or hides one. */
  severity: "critical" | "warning";
  /** What its subject names. */
  about: AlarmTopic;
  /** What is wrong, for the runbook. */
  means: string;
  /** What ends it, as the end of a sentence, for the runbook. */
  ends: string;
  /** What lasts, or happened once, is over so long after it was last raised: an interval of Postgres. */
  quietAfter?: string;
  /** What to do in a sentence, for lists; `<id>` stands for the subject. */
  action: string;
  /** What to do at length, for the runbook. */
  todo: string;
}

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
  | "clock";

const DEFINED = {
  ...ALARMS_OF_CALLBACKS,
  ...ALARMS_OF_UPSTREAMS,
  ...ALARMS_OF_PAYMENTS,
  ...ALARMS_OF_UPKEEP,
} as const satisfies Record<string, AlarmDefinition>;

/** The names are what monitoring is set on. */
export type AlarmName = keyof typeof DEFINED;

export const ALARMS: Readonly<Record<AlarmName, AlarmDefinition>> = DEFINED;

export const ALARM_NAMES = Object.keys(DEFINED) as AlarmName[];

export const alarmsAbout = (topic: AlarmTopic): AlarmName[] =>
  ALARM_NAMES.filter((name) => ALARMS[name].about === topic);

/** What everyone who lists an alarm says of it besides its row. */
export type DescribedAlarm = Pick<AlarmDefinition, "severity" | "about" | "action">;

export function describeAlarm({ name, subject }: { name: AlarmName; subject: string }): DescribedAlarm {
  const { severity, about, action } = ALARMS[name];
  return { severity, about, action: action.replaceAll("<id>", () => subject) };
}

/** The link to an alarm's heading. @param runbook where docs/operations.md can be read, if that is set. */
export const runbookLink = (name: string, runbook = "docs/operations.md"): string => `${runbook}#${name}`;
