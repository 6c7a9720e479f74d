export type { Severity } from "./alarm-definition.ts";
export {
  ALARM_NAMES,
  ALARMS,
  type AlarmName,
  alarmsAbout,
  describeAlarm,
  severityOf,
  titleOf,
} from "./alarm-definitions.ts";
export {
  ALARM,
  type Alarm,
  type AlarmChange,
  Alarms,
  alarmsAreQuiet,
  alarmsGiven,
  alarmsOf,
  CLEARED,
  clearAlarms,
  closeAlarms,
  ENDED_ALARM,
  ENDED_ALARMS,
  type EndedAlarm,
  noteLasting,
  raiseAlarms,
  raiseLasting,
  selectCleared,
  someAreOpen,
  type WrittenAlarms,
} from "./alarms.ts";
export {
  type AlarmToNotify,
  alarmsAreToNotify,
  claimAlarmsToNotify,
  delayNotifying,
  markAlarmsNotified,
  NOTIFYING_WAITS,
} from "./alarms-to-notify.ts";
export {
  countOpenAlarms,
  groupOpenAlarms,
  listAlarms,
  listOpenAlarms,
  type SelectedAlarms,
} from "./list-alarms.ts";
