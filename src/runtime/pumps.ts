import {
  type Claimed,
  CollectionNames,
  ConfirmQueue,
  confirmPolicy,
  KeyProbe,
  newestInvoiceId,
  OutcomeStore,
  SourceProof,
  statusSets,
} from "../pipeline/confirm/index.ts";
import {
  type ClaimedEvent,
  OutcomeLog,
  PublishQueue,
  publishPolicy,
  ReplayEventsQueue,
  SnsDestination,
} from "../pipeline/publish/index.ts";
import type { ServeSettings, Source } from "../platform/config/index.ts";
import { SOURCE, TOPIC, UnknownIds, Upstream } from "../platform/upstreams/index.ts";
import { type Handoff, Pump, Signal } from "../platform/worker/index.ts";
import type { Provider } from "../provider/index.ts";
import type { JobContext } from "./job.ts";
import { routesOf } from "./sources.ts";

/** The confirmer of one process. @param events where new events may go without a claim; null for nowhere */
export function createConfirmPump(
  context: JobContext,
  providers: readonly { source: Source; provider: Provider }[],
  events: Handoff<ClaimedEvent> | null,
): Pump<Claimed> {
  const { hot, settings, lease, alarms, log } = context;
  const routes = routesOf(context.sources);
  const store = new OutcomeStore({ db: hot, alarms, onEvents: context.onEvents, handoff: events, routes });
  const queues = providers.map(({ source, provider }) => confirmQueueOf(context, store, source, provider));
  const policy = confirmPolicy({ db: hot, queues, concurrency: settings.CONFIRM_CONCURRENCY, lease });
  return new Pump({ policy, lease, wake: context.wakes?.confirm ?? new Signal(), log });
}

function confirmQueueOf(
  { db, hot, settings, lease, alarms, metrics, tracer = null }: JobContext,
  store: OutcomeStore,
  source: Source,
  provider: Provider,
): ConfirmQueue {
  const { name, collectionIds } = source;
  const timeoutMs = settings.CONFIRM_TIMEOUT;
  const upstream = new Upstream({ db, alarms, kind: SOURCE, name });
  return new ConfirmQueue({
    db: hot,
    name,
    provider,
    upstream,
    store,
    metrics,
    tracer,
    timeoutMs,
    lease,
    replayLimit: Math.ceil(settings.CONFIRM_CONCURRENCY / 4),
    limits: {
      ratePerSecond: settings.CONFIRM_RATE_PER_SECOND ?? null,
      unknownRatePerSecond: settings.UNKNOWN_RATE_PER_SECOND,
    },
    keyProbe: new KeyProbe({ db, provider, upstream, timeoutMs }),
    proof: new SourceProof({
      provider,
      collectionIds,
      timeoutMs,
      knownInvoiceId: () => newestInvoiceId(db, name),
    }),
    names: new CollectionNames({ provider, upstream, collectionIds, timeoutMs }),
    unknownIds: new UnknownIds({ db, alarms, source: name }),
    rules: {
      ...statusSets({ paidStatuses: settings.PAID_STATUSES, invalidStatuses: settings.INVALID_STATUSES }),
      hasTestTopic: source.snsTestTopicArn !== null,
      personalData: settings.EVENT_PERSONAL_DATA,
      timeZone: settings.PROVIDER_TIME_ZONE,
      currency: source.currency,
    },
  });
}

/** The most requests to a destination that one process has under way. */
const CONNECTIONS = 8;
const TIMEOUT_MS = 10_000;

export const destinationOf = (settings: ServeSettings, connections = CONNECTIONS): SnsDestination =>
  new SnsDestination({
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_SNS,
    connections,
    timeoutMs: TIMEOUT_MS,
  });

/** The publisher of one process, and a function that closes its connections. */
export function createPublishPump(context: JobContext) {
  const { db, hot, settings, lease, alarms, log, metrics, tracer = null } = context;
  const destination = destinationOf(settings);
  const outcomes = new OutcomeLog({ db: hot, alarms });
  const sending = { db: hot, destination, outcomes, metrics, tracer, log, lease };
  // Routes that share a topic share its state.
  const upstreams = new Map<string, Upstream>();
  const routes = routesOf(context.sources);
  const live = routes.map((route) => {
    const name = route.topicArn;
    const upstream = upstreams.get(name) ?? new Upstream({ db, alarms, kind: TOPIC, name });
    upstreams.set(name, upstream);
    return new PublishQueue({ ...sending, route, upstream });
  });
  const topics = [...routes.map(({ topicArn }) => topicArn), ...(settings.REPLAY_TOPIC_ARNS ?? [])];
  const queues = [...live, new ReplayEventsQueue({ ...sending, routes, topics })];
  const policy = publishPolicy({ db: hot, queues, destination, connections: CONNECTIONS, lease });
  const pump = new Pump({ policy, lease, wake: context.wakes?.publish ?? new Signal(), log });
  return { pump, close: () => destination.close() };
}
