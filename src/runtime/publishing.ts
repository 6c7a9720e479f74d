import {
  OutcomeLog,
  PublishLine,
  publishPolicy,
  ReplayLine,
  SnsDestination,
} from "../pipeline/publish/index.ts";
import type { ServeSettings } from "../platform/config/index.ts";

import { TOPIC, Upstream } from "../platform/upstreams/index.ts";

import { Pump, Signal } from "../platform/worker/index.ts";

import type { JobContext } from "./job.ts";
import { routesOf } from "./upstreams.ts";

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

/** What publishes in one process, and how its connections are closed. */
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
    return new PublishLine({ ...sending, route, upstream });
  });
  const topics = [...routes.map(({ topicArn }) => topicArn), ...(settings.REPLAY_TOPIC_ARNS ?? [])];
  const lines = [...live, new ReplayLine({ ...sending, routes, topics })];
  const policy = publishPolicy({ db: hot, lines, destination, connections: CONNECTIONS, lease });
  const pump = new Pump({ policy, lease, wake: context.wakes?.publish ?? new Signal(), log });
  return { pump, close: () => destination.close() };
}
