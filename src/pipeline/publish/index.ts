export type { ClaimedEvent } from "./claim-events.ts";
export {
  type EventKey,
  type EventState,
  eraseEvents,
  eventState,
  inPayload,
  insertEvents,
  invoiceTypeInPayload,
  isAccepted,
  isEventOf,
  isLive,
  isPaymentEvent,
  joinOutbox,
  type OutboxState,
  paidEventId,
  paidEventIsLogged,
  publishedOn,
  queueOf,
  type Route,
  rightTopic,
} from "./event-log.ts";
export {
  countDeadEvents,
  dismissDeadEvents,
  eventsAreDue,
  holdOrReleaseTestEvents,
  outboxLeases,
  queueEvents,
  queueReplayed,
  type ReplayQueue,
  ROUTE,
  readReplayQueue,
  requeueEvents,
  reviveDeadEvents,
  type TestRoutes,
  takeBackReplayed,
  takeRefused,
  testEventsAreToMove,
  testRoutesOf,
} from "./outbox.ts";
export { OutcomeLog } from "./outcomes.ts";
export { PublishQueue, publishPolicy, ReplayEventsQueue } from "./publish-queue.ts";
export {
  eventsOf,
  orphanedAcceptances,
} from "./read-events.ts";
export { loadSdk, SnsDestination } from "./sns-destination.ts";
