import { messageOf } from "../kit/errors.ts";
import { HandedEvents } from "../publish/handed-events.ts";
import { PublicationStore } from "../publish/publication-store.ts";
import { publishPass } from "../publish/publish-pass.ts";
import { createSnsSender } from "../publish/sns-sender.ts";
import { TopicGate } from "../publish/topic-gate.ts";
import { releaseEvents } from "../workers/leases.ts";
import { Signal } from "../workers/signal.ts";
import type { Pass, PassContext } from "./pass.ts";
import { routesOf } from "./register.ts";

const SNS_CONNECTIONS = 8;

/** While so many are on their way, as many again have their outcome written down. */
const BATCHES_IN_HAND = 2 * SNS_CONNECTIONS;
const SNS_TIMEOUT_MS = 10_000;

/** As many events as the batches in hand hold: enough that no batch waits for the next commit. */
const MOST_HANDED = 160;

/** The publishing pass of one process, and how its connections are closed. */
export function publishing(context: PassContext): {
  pass: Pass;
  handed: HandedEvents | null;
  close(): Promise<void>;
} {
  const { db, hot, settings, alarms, log, metrics } = context;
  const sender = createSnsSender({
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_SNS,
    connections: SNS_CONNECTIONS,
    timeoutMs: SNS_TIMEOUT_MS,
  });
  // Routes that share a topic share its gate.
  const gates = new Map<string, TopicGate>();
  const routes = routesOf(context.sources).map((route) => {
    const gate = gates.get(route.topicArn) ?? new TopicGate({ db, alarms, topicArn: route.topicArn });
    gates.set(route.topicArn, gate);
    return { ...route, gate };
  });
  const wake = context.publishWake;
  // Without a wake-up nobody publishes beside the confirmer: in Lambda each is a function of its own.
  const handed =
    wake === undefined
      ? null
      : new HandedEvents({
          routes,
          leaseMs: settings.LEASE_DURATION,
          capacity: MOST_HANDED,
          wake,
          release: (events) => releaseEvents(hot, events),
        });
  const options = {
    db: hot,
    alarms,
    log,
    metrics,
    store: new PublicationStore(hot),
    sender,
    routes,
    batchesInHand: BATCHES_IN_HAND,
    leaseMs: settings.LEASE_DURATION,
    wake: wake ?? new Signal(),
    handed,
  };
  // The confirmer may have handed on its last events when the publisher had stopped.
  const close = async () => {
    sender.close();
    await handed?.close().catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, "leases could not be given back; they run out by themselves");
    });
  };
  return { pass: (stop) => publishPass(options, stop), handed, close };
}
