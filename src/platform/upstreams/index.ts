export { admissionTo, allowanceOf, type Limits } from "./allowance.ts";
export {
  changeByHand,
  type ListedUpstream,
  listUpstreams,
  readUpstreamRow,
} from "./change.ts";
export { isHealthy, RETRY_AFTER_LIMIT_MS, STATES, stateOf, type UpstreamReport } from "./machine.ts";
export { UnknownIds } from "./unknown-ids.ts";
export { keysAreToProbe, takeProbe, Upstream } from "./upstream.ts";
export {
  joinHealthySource,
  joinHealthyTopic,
  SOURCE,
  TOPIC,
  type UpstreamKind,
} from "./upstream-kind.ts";
export {
  type Budget,
  beginTrial,
  firstServedAt,
  isServedAndOpen,
  knownTopics,
  listFirstServed,
  readClock,
  readSource,
  registerUpstreams,
  sourceIsInTrouble,
  spendAllowance,
  type TopicTrial,
  takeTurn,
  topicTakesReplays,
  whenSourceIsHealthy,
  whenSourceIsUnchanged,
  whenTopicIsHealthy,
  whenTopicIsUnchanged,
} from "./upstream-rows.ts";
