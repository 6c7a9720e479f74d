export { type ConnectOptions, connect, type PoolUsage, type Purpose, RelayClient } from "./connect.ts";
export { GroupCommit } from "./group-commit.ts";
export {
  EARLIER,
  hasTable,
  MIGRATE,
  migrateToLatest,
  refuseSharedDatabase,
  requireSchema,
  schemaState,
} from "./migrate.ts";
export {
  inKeyOrder,
  inSnapshot,
  LOOKED_AT,
  type Page,
  type PagePosition,
  type PageSlice,
  sliceOf,
  walk,
} from "./page.ts";
export {
  failedWork,
  failedWrite,
  findRecordingProblem,
  isReadOnly,
  READ_ONLY,
  type RecordingProblem,
  requireWrites,
  takesCallbacks,
  type Why,
} from "./recording-problem.ts";
export { grantRoles } from "./roles.ts";
export {
  databaseClock,
  databaseTime,
  encodingFault,
  readPostgresVersion,
  requireWholeSessions,
  someRelayIsConnected,
  timeBefore,
} from "./server.ts";
export {
  boolean,
  bytea,
  type Columns,
  clockTime,
  command,
  float,
  indexedText,
  integer,
  interval,
  isIn,
  json,
  nullable,
  numeric,
  perhaps,
  query,
  type ResultColumns,
  type ResultOf,
  type RowOf,
  returned,
  type Slots,
  Statement,
  sourcesIn,
  tableOf,
  text,
  time,
  typed,
  uuid,
  VaryingStatement,
} from "./statement.ts";
export type { Database, Tables, TablesOf } from "./tables.ts";
