import type { ClaimedEvent } from "../outbox/claim-events.ts";
import { OutcomeLog } from "../publish/outcome-log.ts";
import { PublishLine } from "../publish/publish-line.ts";
import { publishPolicy } from "../publish/publishing.ts";
import { Upstream } from "../upstreams/upstream.ts";
import { TOPIC } from "../upstreams/upstream-kind.ts";
import { Pump } from "../workers/pump.ts";
import { Signal } from "../workers/signal.ts";
import { CONNECTIONS, destinationOf } from "./destinations.ts";
import type { PassContext } from "./pass.ts";
import { routesOf } from "./upstreams.ts";

/** What publishes in one process, and how its connections are closed. */
export function publishing(context: PassContext): { pump: Pump<ClaimedEvent>; close(): void } {
  const { db, hot, settings, alarms, log, metrics, tracer = null } = context;
  const destination = destinationOf(settings);
  const leaseMs = settings.LEASE_DURATION;
  const outcomes = new OutcomeLog({ db: hot, alarms });
  // Routes that share a topic share its state.
  const upstreams = new Map<string, Upstream>();
  const lines = routesOf(context.sources).map((route) => {
    const name = route.topicArn;
    const upstream = upstreams.get(name) ?? new Upstream({ db, alarms, kind: TOPIC, name });
    upstreams.set(name, upstream);
    return new PublishLine({
      ...{ db: hot, route, destination, upstream, outcomes, metrics, tracer, log, leaseMs },
    });
  });
  const policy = publishPolicy({ db: hot, lines, destination, connections: CONNECTIONS, leaseMs });
  const pump = new Pump({ policy, leaseMs, wake: context.publishWake ?? new Signal(), log });
  return { pump, close: () => destination.close() };
}
