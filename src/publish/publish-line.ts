import { hash } from "node:crypto";
import type { Alarm } from "../alarms/alarms.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import { step } from "../kit/step.ts";
import type { Span, Tracer } from "../kit/trace.ts";
import { backOffMs } from "../kit/waiting.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { TOPIC } from "../upstreams/upstream-kind.ts";
import type { Lease } from "../work/lease.ts";
import type { Claim, Exchange, Line } from "../work/policy.ts";
import { type ClaimedEvent, claimEvents } from "./claim-events.ts";
import { lineOf, type Route } from "./event-log.ts";
import type { EventOutcome, OutcomeLog } from "./outcomes.ts";
import type { BatchOutcome, EntryOutcome, OutgoingEvent, SnsDestination } from "./sns-destination.ts";

interface PublishLineOptions {
  db: Database;
  route: Route;
  destination: SnsDestination;
  upstream: Upstream;
  outcomes: OutcomeLog;
  metrics: Metrics;
  tracer: Tracer | null;
  log: Logger;
  lease: Lease;
}

/** The events of one route: sent in batches, and the outcome of every entry kept by itself (G5). */
export class PublishLine implements Line<ClaimedEvent> {
  readonly name: string;
  readonly #options: PublishLineOptions;

  constructor(options: PublishLineOptions) {
    this.name = lineOf(options.route);
    this.#options = options;
  }

  async claim(wanted: number): Promise<Claim<ClaimedEvent>> {
    const { db, route, upstream, lease } = this.#options;
    const { items, isHealthy, moreInMs } = await claimEvents(db, { route, wanted, lease });
    if (items.length > 0) step("events claimed");
    upstream.saw(isHealthy);
    return { items, more: items.length >= wanted, moreInMs };
  }

  async run(batch: readonly ClaimedEvent[], { ended }: Exchange): Promise<boolean> {
    const { destination, upstream, route, metrics, tracer } = this.#options;
    step("events leave");
    const done = metrics.snsSeconds.startTimer();
    const traced = tracer === null ? null : startSending(tracer, route.topicArn, batch);
    const outcome = await destination.send(route.topicArn, traced?.events ?? batch);
    traced?.end(outcome);
    step("events accepted");
    ended();
    done();
    metrics.snsAnswers.inc({ outcome: outcome.kind });
    for (const { attempt } of batch) if (attempt > 0) metrics.retries.inc({ work: "publish" });
    switch (outcome.kind) {
      case "answered": {
        const [takesMore] = await Promise.all([
          upstream.note({ kind: "works" }),
          this.#keep(batch, outcome.entries),
        ]);
        return takesMore;
      }
      case "refused":
        return await this.#sendAlone(batch, outcome.error);
      case "failed":
      case "topic_refused": {
        const { error } = outcome;
        const [takesMore] = await Promise.all([
          upstream.note(
            outcome.kind === "failed" ? { kind: "failed", times: 1, error } : { kind: "refused", error },
          ),
          this.#keep(
            batch,
            batch.map(() => ({ kind: "failed", error })),
            0,
          ),
        ]);
        return takesMore;
      }
    }
  }

  // The sender's fault: each event is sent alone, so that only the bad one becomes a dead letter.
  async #sendAlone(batch: readonly ClaimedEvent[], error: string): Promise<boolean> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      await this.#keep(batch, [{ kind: "refused", error }]);
      return true;
    }
    let takesMore = true;
    for (const event of batch) takesMore = (await this.run([event], ALONE)) && takesMore;
    return takesMore;
  }

  /** @param dueInMs when what failed is sent again; by its own back-off when left out. */
  async #keep(
    batch: readonly ClaimedEvent[],
    entries: readonly EntryOutcome[],
    dueInMs?: number,
  ): Promise<void> {
    const { metrics, outcomes, route, log } = this.#options;
    const acceptedAt = new Date();
    await Promise.all(
      batch.map(async (event, index) => {
        const entry = entries[index] ?? UNSAID;
        // One event of several that is refused is tried alone: it may be the batch that was wrong.
        if (entry.kind === "refused" && batch.length > 1) return void (await this.run([event], ALONE));
        metrics.published.inc({ outcome: entry.kind });
        const outcome = outcomeOf(event, route.topicArn, entry, dueInMs ?? entryBackOffMs(event.attempt));
        await outcomes.keep(outcome, entry.kind === "refused" ? [dead(event, entry.error)] : []);
        if (entry.kind === "accepted")
          logPublished(
            event,
            { topic: route.topicArn, messageId: entry.messageId, acceptedAt },
            { log, metrics },
          );
      }),
    );
  }
}

/** Of an event that is sent by itself, within the exchange of its batch. */
export const ALONE: Exchange = { ended: () => undefined, signal: new AbortController().signal };

export const UNSAID: EntryOutcome = {
  kind: "failed",
  error: "the destination said nothing about this event",
};

/** How long one event waits that failed while its neighbours went through, in ms. */
export const entryBackOffMs = (attempt: number): number => backOffMs(attempt + 1, TOPIC.policy.backOff);

const STATE = {
  accepted: "accepted",
  refused: "dead",
  failed: "due",
  topic_refused: "held",
} as const satisfies Record<string, EventOutcome["state"]>;

export const outcomeOf = (
  { id, source, replayId, leaseToken, payload }: ClaimedEvent,
  topicArn: string,
  entry: EntryOutcome | { kind: "topic_refused"; error: string },
  dueInMs: number,
): EventOutcome => ({
  id,
  source,
  replayId,
  leaseToken,
  topicArn,
  state: STATE[entry.kind],
  messageId: entry.kind === "accepted" ? entry.messageId : null,
  digest: entry.kind === "accepted" ? hash("sha256", payload, "buffer") : null,
  dueInMs,
  error: entry.kind === "accepted" ? null : entry.error,
});

const dead = ({ id, source }: ClaimedEvent, error: string): Alarm => ({
  name: "event_dead",
  source,
  subject: id,
  detail: `SNS refuses this event: ${error}.`,
});

/** One line and two durations for each payment that is out: ids and times, nothing about the payer. */
function logPublished(
  event: ClaimedEvent,
  { topic, messageId, acceptedAt }: { topic: string; messageId: string; acceptedAt: Date },
  { log, metrics }: { log: Logger; metrics: Metrics },
): void {
  const { source } = event;
  const sinceRequest = secondsBetween(event.requestedAt, acceptedAt);
  const sincePayment = secondsBetween(paidAtOf(event.payload), acceptedAt);
  if (sinceRequest !== null) metrics.callbackToSns.observe({ source }, sinceRequest);
  if (sincePayment !== null) metrics.paymentToSns.observe({ source }, sincePayment);
  log.info(
    {
      ...(event.callbackId === null ? {} : { callback: event.callbackId }),
      ...{ source, invoice: event.invoiceId, event: event.id, topic, messageId },
      ...(sinceRequest === null ? {} : { callbackToSnsSeconds: sinceRequest }),
      ...(sincePayment === null ? {} : { paymentToSnsSeconds: sincePayment }),
      tries: event.attempt + 1,
    },
    "published a paid invoice",
  );
}

/** Never less than 0, although two machines' clocks may differ; to the millisecond. */
const secondsBetween = (from: Date | null, to: Date): number | null =>
  from === null || Number.isNaN(from.getTime()) ? null : Math.max(0, to.getTime() - from.getTime()) / 1_000;

/** By its first occurrence, which `metadata` comes after: the payload is our own text, and not parsed again. */
function paidAtOf(payload: string): Date | null {
  const [, paidAt] = /"paidAt":(?:null|"([^"]*)")/.exec(payload) ?? [];
  return paidAt === undefined ? null : new Date(paidAt);
}

/**
 * An entry continues the trace in which its event was made; the request is linked to all of its entries
 * (OpenTelemetry, semantic conventions for messaging: create and send). A replay may come days later: its
 * entries begin traces of their own.
 */
export function startSending(
  tracer: Tracer,
  topicArn: string,
  batch: readonly OutgoingEvent[],
  replayId?: string,
) {
  const topic = topicArn.slice(topicArn.lastIndexOf(":") + 1);
  const common = {
    "messaging.system": "aws.sns",
    "messaging.destination.name": topic,
    "aws.sns.topic.arn": topicArn,
    "invoice_relay.replay.id": replayId,
  };
  const entries = batch.map((event) =>
    tracer.start(`publish ${topic}`, {
      kind: "producer",
      parent: replayId === undefined ? (event.traceparent ?? null) : null,
      attributes: {
        ...common,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "create",
        "invoice_relay.source": event.source,
        "invoice_relay.invoice.id": event.invoiceId,
        "invoice_relay.event.id": event.id,
      },
    }),
  );
  const request = tracer.start(`send ${topic}`, {
    kind: "client",
    links: entries.map(({ traceparent }) => traceparent),
    attributes: {
      ...common,
      "messaging.operation.name": "send",
      "messaging.operation.type": "send",
      "messaging.batch.message_count": batch.length,
    },
  });
  return {
    /** Each with the context that its consumers continue. */
    events: batch.map((event, index) => ({ ...event, traceparent: entries[index]?.traceparent ?? null })),
    end(outcome: BatchOutcome): void {
      endWith(request, outcome.kind, outcome.kind === "answered");
      for (const [index, entry] of entries.entries())
        endEntry(entry, outcome.kind === "answered" ? outcome.entries[index] : undefined, outcome.kind);
    },
  };
}

function endEntry(span: Span, entry: EntryOutcome | undefined, otherwise: BatchOutcome["kind"]): void {
  if (entry?.kind === "accepted") span.set({ "messaging.message.id": entry.messageId });
  endWith(span, entry?.kind ?? otherwise, entry?.kind === "accepted");
}

function endWith(span: Span, outcome: string, isGood: boolean): void {
  span.set({ "invoice_relay.outcome": outcome });
  span.end(isGood ? undefined : outcome);
}
