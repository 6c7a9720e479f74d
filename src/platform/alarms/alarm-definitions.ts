import type { Remedy } from "../errors/index.ts";
import type { AlarmAbout, AlarmDefinition, AlarmTopic, Severity } from "./alarm-definition.ts";
import { ALARMS_OF_CALLBACKS } from "./definitions/callbacks.ts";
import { ALARMS_OF_PAYMENTS } from "./definitions/payments.ts";
import { ALARMS_OF_PROCESSES } from "./definitions/processes.ts";
import { ALARMS_OF_UPKEEP } from "./definitions/upkeep.ts";
import { ALARMS_OF_UPSTREAMS } from "./definitions/upstreams.ts";

/** The gravest first, where two are as urgent. */
const DEFINED = {
  ...ALARMS_OF_CALLBACKS,
  ...ALARMS_OF_PROCESSES,
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

/** The alarms that become critical, and after how many minutes. */
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

/** The remedy for one alarm, or for several of a name. @param about null for several */
export const remedyOf = (name: AlarmName, about: AlarmAbout | null): Remedy | null =>
  about === null
    ? (ALARMS[name].listedBy ?? { operation: "listAlarms", args: { name } })
    : (ALARMS[name].remedy?.(about) ?? null);

/**
 * The part of an alarm's description that its row does not hold, for every list of alarms.
 * @param alarm.now the time for which its severity is decided.
 */
export function describeAlarm(alarm: AlarmAbout & { name: AlarmName; raisedAt: Date; now: Date }) {
  const { name, raisedAt, now } = alarm;
  return {
    title: titleOf(name, 1),
    severity: severityOf(name, raisedAt, now),
    about: ALARMS[name].about,
    action: ALARMS[name].action,
    remedy: remedyOf(name, alarm),
  };
}
