export { type FailedChore, noteChores } from "./failing-chores.ts";
export {
  claimedFor,
  type Lease,
  LeasedRows,
  LeaseLost,
  leaseEnd,
  leaseOf,
  QueuedRows,
  whileHeld,
} from "./leased-rows.ts";
export { type Loop, makeSignals, Signal, startLoop, type Wakes, type Work } from "./loop.ts";
export type { Claim, Handoff, Policy, Queue, RequestSlot } from "./policy.ts";
export { Pump } from "./pump.ts";
export {
  HEARTBEAT_MS,
  listProcesses,
  noteFailingWork,
  noteSilence,
  type Problem,
  RelayProcess,
  type Served,
  servedByAny,
} from "./relay-process.ts";
