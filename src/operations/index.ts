export { noteWaiting, readBacklogAges, readVitalSigns, type VitalSigns } from "./backlog.ts";
export { closeAlarmsOfRemoved } from "./close-alarms.ts";
export { checkErased } from "./erase.ts";
export { noteLateProofs } from "./late-proofs.ts";
export { countGiven, day, idGiven, name } from "./list/fields.ts";
export { callbackOperations, invoiceOperations } from "./list/invoices.ts";
export { operations, signInRequest, specialOperations } from "./list/list.ts";
export {
  BadInput,
  type Download,
  type Operation,
  type OperationContext,
  type OperationInput,
  type OperationParts,
  type OperationShape,
  readInput,
  readValue,
  refuseUnknown,
  requireKnownNames,
  roleFor,
  runOperation,
  type Wire,
} from "./list/operation.ts";
export { bookOperations, proofOperations } from "./list/proof.ts";
export { replayOperations } from "./list/replays.ts";
export { recordOperations, statusOperations } from "./list/status.ts";
export { undeliveredOperations } from "./list/undelivered.ts";
export { alarmOperations, upstreamOperations } from "./list/upstreams.ts";
export { type Parts, writeWholeFile } from "./report/file.ts";
export { bookSourcesOf } from "./report/read-payments.ts";
export { applyRetention, type Chores, type ChoresDone, doChores } from "./retention.ts";
export type { StatusSettings } from "./status.ts";
export { readStatus } from "./status-facts.ts";
export { groupWords, heldWords } from "./status-meaning.ts";
export { clockText, explained, headlineOf, type Timeline } from "./timeline.ts";
export { readTimeline } from "./timeline-reading.ts";
export { leftOut, PLAN, REPLAY_SHOWN } from "./views/replays.ts";
export { wordsOf } from "./views/timeline.ts";
export type {
  Field,
  List,
  Rows,
  Value,
  View,
} from "./views/view.ts";
