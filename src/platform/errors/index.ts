export { databaseFault } from "./database-fault.ts";
export {
  type ErrorCode,
  type Fault,
  faultOf,
  messageOf,
  type Next,
  noteWork,
  notFoundError,
  RelayError,
  stackOf,
  usageError,
} from "./errors.ts";
export {
  codeOf,
  isCollision,
  isDatabaseAway,
  isLostConnection,
  isRefusedData,
  RefusedValue,
  takenKeyOf,
} from "./postgres-errors.ts";
export {
  commandLine,
  REMEDY_OPERATIONS,
  type Remedy,
  type RemedyInputs,
  withCommand,
} from "./remedy.ts";
