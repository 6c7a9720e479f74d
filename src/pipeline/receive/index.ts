export { CallbackIntake, callbackStatuses } from "./callback-intake.ts";
export { callbackRoutes, sendPage } from "./callback-routes.ts";
export { CallbackLog, isOwnVerdict, OWN_VERDICTS, type OwnVerdict } from "./log/callback-log.ts";
export { eraseByReference, eraseCallbacks } from "./log/erase-callbacks.ts";
export {
  type CallbackFilters,
  callbacksThatName,
  firstCallbacksNaming,
  invoicesCalledAs,
  type ListedCallback,
  lastCallbackAt,
  listCallbacks,
  readCallbackWhole,
  type WholeCallback,
} from "./log/list-callbacks.ts";
export {
  dropPartition,
  dropStragglers,
  makePartitions,
  type OldPartition,
  partitionsBefore,
} from "./log/partitions.ts";
export { comesFromBrowser } from "./read-request.ts";
export { decodeText } from "./reading/decode-body.ts";
export { readCallback } from "./reading/read-callback.ts";
