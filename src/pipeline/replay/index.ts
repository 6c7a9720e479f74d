export {
  DEFAULT_RATES,
  type Replay,
  type ReplayKind,
  type ReplayTarget,
  replay,
  replayed,
} from "./replay.ts";
export {
  findReplay,
  listReplays,
  mustFindReplay,
  replaysWait,
} from "./replay-rows.ts";
export { followReplay, runReplayJob } from "./run-replay.ts";
export { listRefusals, replayRefusal } from "./select-events.ts";
export { cancelReplay, planReplay, replayPlan, resumeReplay, startReplay } from "./start-replay.ts";
