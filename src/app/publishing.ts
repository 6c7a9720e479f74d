import { PublicationStore } from "../publish/publication-store.ts";
import { publishPass } from "../publish/publish-pass.ts";
import { createSnsSender } from "../publish/sns-sender.ts";
import { TopicGate } from "../publish/topic-gate.ts";
import { Signal } from "../workers/signal.ts";
import type { Pass, PassContext } from "./pass.ts";
import { routesOf } from "./register.ts";

const BATCHES_IN_FLIGHT = 8;
const SNS_TIMEOUT_MS = 10_000;

/** The publishing pass of one process, and how its connections are closed. */
export function publishing(context: PassContext): { pass: Pass; close(): void } {
  const { db, settings, alarms, log, metrics } = context;
  const sender = createSnsSender({
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_SNS,
    connections: BATCHES_IN_FLIGHT,
    timeoutMs: SNS_TIMEOUT_MS,
  });
  // Routes that share a topic share its gate.
  const gates = new Map<string, TopicGate>();
  const routes = routesOf(context.sources).map((route) => {
    const gate = gates.get(route.topicArn) ?? new TopicGate({ db, alarms, topicArn: route.topicArn });
    gates.set(route.topicArn, gate);
    return { ...route, gate };
  });
  const options = {
    db,
    alarms,
    log,
    metrics,
    store: new PublicationStore(db),
    sender,
    routes,
    batchesInFlight: BATCHES_IN_FLIGHT,
    leaseMs: settings.LEASE_DURATION,
    wake: context.publishWake ?? new Signal(),
  };
  return { pass: (stop) => publishPass(options, stop), close: () => sender.close() };
}
