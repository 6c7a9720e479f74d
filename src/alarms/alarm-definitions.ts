import { ALARMS_OF_CALLBACKS } from "./definitions/callbacks.ts";
import { ALARMS_OF_PAYMENTS } from "./definitions/payments.ts";
import { ALARMS_OF_UPKEEP } from "./definitions/upkeep.ts";
import { ALARMS_OF_UPSTREAMS } from "./definitions/upstreams.ts";

/**
 * All that is said of an alarm, wherever it is shown. `npm run documents` makes its heading in the runbook
 * and its place in Prometheus' rules; lists, the webhook and the console read it while running.
 */
interface AlarmDefinition {
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
  /** What to do in a sentence, for lists; `<id>` stands for the subject. */
  action: string;
  /** What to do at length, for the runbook. */
  todo: string;
}

export type Severity = "critical" | "warning";

type AlarmTopic =
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
  | "backlog";

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

/** Those that become critical, and after how many minutes. */
export const ESCALATING = ALARM_NAMES.flatMap((name) => {
  const minutes = ALARMS[name].criticalAfterMinutes;
  return minutes === undefined ? [] : [{ name, minutes }];
});

/** How urgent it is by now. @param raisedAt of the oldest of that name. */
export function severityOf(name: AlarmName, raisedAt: Date, now: Date): Severity {
  const { severity, criticalAfterMinutes = Number.POSITIVE_INFINITY } = ALARMS[name];
  return +now - +raisedAt >= criticalAfterMinutes * 60_000 ? "critical" : severity;
}

/** "the provider fails", "6 events given up". */
export const titleOf = (name: AlarmName, count: number): string => {
  const [one, several] = ALARMS[name].title;
  return count === 1 ? one : `${count.toLocaleString("en-US")} ${several}`;
};

/** @param subject null for several: its place stays open. */
export const actionOf = (name: AlarmName, subject: string | null): string =>
  subject === null ? ALARMS[name].action : ALARMS[name].action.replaceAll("<id>", () => subject);

/**
 * What everyone who lists an alarm says of it besides its row.
 * @param alarm.now what its severity is judged by.
 */
export function describeAlarm(alarm: { name: AlarmName; subject: string; raisedAt: Date; now: Date }) {
  const { name, subject, raisedAt, now } = alarm;
  return {
    title: titleOf(name, 1),
    severity: severityOf(name, raisedAt, now),
    about: ALARMS[name].about,
    action: actionOf(name, subject),
  };
}
