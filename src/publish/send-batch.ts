import type { Alarms } from "../database/alarms.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Route } from "./claim-events.ts";
import type { ClaimedEvent, SizedEntry } from "./entry.ts";
import type { EventSettlement, PublicationStore } from "./publication-store.ts";
import type { EntryOutcome, SnsSender } from "./sns-sender.ts";
import { entryBackOffMs, type TopicGate } from "./topic-gate.ts";

export type OpenRoute = Route & { gate: TopicGate };
export type Outgoing = SizedEntry & { event: ClaimedEvent };

export interface SendBatchOptions {
  store: PublicationStore;
  sender: SnsSender;
  alarms: Alarms;
  metrics: Metrics;
}

/**
 * Sends one batch and keeps the outcome of every entry by itself (G5).
 * @returns whether the topic works, whatever became of single entries.
 */
export async function sendBatch(
  options: SendBatchOptions,
  route: OpenRoute,
  batch: readonly Outgoing[],
): Promise<boolean> {
  const outcome = await options.sender.send(
    route.topicArn,
    batch.map(({ entry }) => entry),
  );
  switch (outcome.kind) {
    case "answered":
      await Promise.all([route.gate.works(), ...settleAll(options, route, batch, outcome.entries)]);
      return true;
    case "refused":
      return await sendAlone(options, route, batch, outcome.error);
    case "failed":
    case "topic_refused":
      await route.gate[outcome.kind === "failed" ? "failed" : "refused"](outcome.error);
      await Promise.all(
        batch.map(({ event }) => settle(options, route, event, { kind: "failed", error: outcome.error }, 0)),
      );
      return false;
  }
}

function settleAll(
  options: SendBatchOptions,
  route: OpenRoute,
  batch: readonly Outgoing[],
  outcomes: ReadonlyMap<string, EntryOutcome>,
): Promise<unknown>[] {
  return batch.map((outgoing) => {
    const outcome = outcomes.get(outgoing.event.id) ?? {
      kind: "failed" as const,
      error: "SNS said nothing about this entry",
    };
    if (outcome.kind === "refused" && batch.length > 1) return sendBatch(options, route, [outgoing]);
    return settle(options, route, outgoing.event, outcome, entryBackOffMs(outgoing.event.attempt));
  });
}

// The sender's fault: each entry alone, so that only the bad one is buried.
async function sendAlone(
  options: SendBatchOptions,
  route: OpenRoute,
  batch: readonly Outgoing[],
  error: string,
): Promise<boolean> {
  const [only] = batch;
  if (batch.length === 1 && only !== undefined) {
    await settle(options, route, only.event, { kind: "refused", error }, 0);
    return true;
  }
  let works = true;
  for (const outgoing of batch) works = (await sendBatch(options, route, [outgoing])) && works;
  return works;
}

const STATE = { accepted: "published", refused: "dead", failed: "due" } as const satisfies Record<
  EntryOutcome["kind"],
  EventSettlement["state"]
>;

async function settle(
  { store, metrics, alarms }: SendBatchOptions,
  route: OpenRoute,
  event: ClaimedEvent,
  outcome: EntryOutcome,
  dueInMs: number,
): Promise<void> {
  metrics.published.inc({ outcome: outcome.kind });
  await store.settle({
    id: event.id,
    leaseToken: event.leaseToken,
    topicArn: route.topicArn,
    state: STATE[outcome.kind],
    messageId: outcome.kind === "accepted" ? outcome.messageId : null,
    dueInMs,
    error: outcome.kind === "accepted" ? null : outcome.error,
  });
  if (outcome.kind !== "refused") return;
  const detail = `SNS refuses this event: ${outcome.error}. See: invoice-relay dead show ${event.id}`;
  await alarms.raise({ name: "event_dead", source: event.source, subject: event.id, detail });
}
