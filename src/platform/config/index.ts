export { FAILED_CHECKS, type FailedCheck } from "./failed-checks.ts";
export type { AdminToken } from "./setting-formats.ts";
export { anyUuid, readSigningKey } from "./setting-formats.ts";
export {
  currencyOf,
  describedSources,
  readSettings,
  SERVE_REQUIRES,
  type ServeSettings,
  type SettingName,
  type Settings,
  SettingsError,
  SOURCE_SETTINGS,
  settingsSchema,
  sourcesOf,
} from "./settings.ts";
export { leaveShellBehind } from "./shell-variables.ts";
export type { Source } from "./sources-file.ts";
export { type CallbackChecks, isSet } from "./sources-file.ts";
export { readHeaders } from "./trace-settings.ts";
