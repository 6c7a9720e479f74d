export { type FailedChore, noteChores } from "./failing-chores.ts";
export { type Lease, LeaseLost, leaseOf, whileHeld } from "./lease.ts";
export { claimedFor, LeasedRows, leaseEnd, QueuedRows } from "./leased-rows.ts";
export { type Loop, startLoop } from "./loop.ts";
export type { Claim, Exchange, Handoff, Line, Policy } from "./policy.ts";
export { Pump } from "./pump.ts";
export {
  BEAT_MS,
  listProcesses,
  type Problem,
  RelayProcess,
  type Served,
  servedByAny,
} from "./relay-process.ts";
export { Signal } from "./signal.ts";
export { keepsPayments, noteFailingWork, noteSilence, standingIn } from "./silent-processes.ts";
export { notifyWorkers, WakeUps, type Work } from "./wake-up.ts";
