import { hash } from "node:crypto";
import type { Alarm } from "../../platform/alarms/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Logger, Span, Tracer } from "../../platform/log/index.ts";
import type { Metrics } from "../../platform/metrics/index.ts";
import { backOffMs, failpoint } from "../../platform/process/index.ts";
import { TOPIC, type Upstream, type UpstreamReport } from "../../platform/upstreams/index.ts";
import type { Claim, Lease, Policy, Queue, RequestSlot } from "../../platform/worker/index.ts";
import { type ClaimedEvent, claimEvents, claimReplayed } from "./claim-events.ts";
import { queueOf, REPLAYS, type Route } from "./event-log.ts";
import { outboxLeases } from "./outbox.ts";
import type { EventOutcome, OutcomeLog } from "./outcomes.ts";
import type { BatchOutcome, EntryOutcome, OutgoingEvent, SnsDestination } from "./sns-destination.ts";

/**
 * How the pump publishes.
 * @param options.connections how many batches are on their way at once.
 */
export function publishPolicy({
  db,
  queues,
  destination,
  connections,
  lease,
}: {
  db: Database;
  queues: readonly Queue<ClaimedEvent>[];
  destination: SnsDestination;
  connections: number;
  lease: Lease;
}): Policy<ClaimedEvent> {
  return {
    name: "publish",
    queues,
    queueOf: (event) => (event.replayId === null ? queueOf(event) : REPLAYS),
    requests: connections,
    batchSize: destination.batchSize,
    // A request of one event costs as much as one of ten: a partial batch waits while another is in flight.
    nextBatch(waiting, underWay, mayWait) {
      if (mayWait && underWay > 0 && waiting.length < destination.batchSize) return 0;
      failpoint("events to be sent");
      return destination.fitting(togetherFirst(waiting));
    },
    release: (events) => outboxLeases.release(db, events),
    async extend(events) {
      await outboxLeases.extend(db, events, lease);
    },
  };
}

/** The first that may share a batch: one replay and topic, and no event twice, of another source perhaps. */
function togetherFirst(waiting: readonly ClaimedEvent[]): readonly ClaimedEvent[] {
  const [first] = waiting;
  if (first === undefined || first.replayId === null) return waiting;
  const ids = new Set<string>();
  const end = waiting.findIndex(
    ({ id, replayId, topicArn }) =>
      replayId !== first.replayId || topicArn !== first.topicArn || ids.size === ids.add(id).size,
  );
  return end === -1 ? waiting : waiting.slice(0, end);
}

interface SendingOptions {
  db: Database;
  destination: SnsDestination;
  outcomes: OutcomeLog;
  metrics: Metrics;
  tracer: Tracer | null;
  log: Logger;
  lease: Lease;
}

/** Sends in batches, and keeps the outcome of every entry by itself (G5). */
abstract class Sending implements Queue<ClaimedEvent> {
  abstract readonly name: string;
  readonly #options: SendingOptions;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  abstract claim(wanted: number): Promise<Claim<ClaimedEvent>>;

  /** Reports a request's outcome to the topic's state. @returns whether the topic takes more. */
  protected abstract note(report: UpstreamReport): Promise<boolean>;

  async run(batch: readonly ClaimedEvent[], { ended }: RequestSlot): Promise<boolean> {
    const { destination, metrics, tracer } = this.#options;
    const [{ topicArn, replayId }] = batch as [ClaimedEvent];
    const isLive = replayId === null;
    if (isLive) failpoint("events leave");
    else failpoint("replayed events leave");
    const done = isLive ? metrics.snsSeconds.startTimer() : null;
    const traced = tracer === null ? null : startSending(tracer, topicArn, batch, replayId);
    const outcome = await destination.send(topicArn, traced?.events ?? batch, replayId ?? undefined);
    traced?.end(outcome);
    if (isLive) failpoint("events accepted");
    else failpoint("replayed events accepted");
    ended();
    done?.();
    if (isLive) {
      metrics.snsAnswers.inc({ outcome: outcome.kind });
      for (const { attempt } of batch) if (attempt > 0) metrics.retries.inc({ work: "publish" });
    }
    switch (outcome.kind) {
      case "answered": {
        const [takesMore] = await Promise.all([
          this.note({ kind: "works" }),
          this.#keep(batch, outcome.entries),
        ]);
        return takesMore;
      }
      case "refused":
        return await this.#sendAlone(batch, outcome.error);
      case "failed":
      case "topic_refused": {
        const { kind, error } = outcome;
        // The topic backs off as a whole; for a replay each event does.
        const entry = { kind: isLive ? "failed" : kind, error } as const;
        const [takesMore] = await Promise.all([
          this.note(kind === "failed" ? { kind, times: 1, error } : { kind: "refused", error }),
          this.#keep(
            batch,
            batch.map(() => entry),
            isLive ? 0 : undefined,
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
    entries: readonly (EntryOutcome | TopicRefusal)[],
    dueInMs?: number,
  ): Promise<void> {
    const { metrics, outcomes, log } = this.#options;
    const acceptedAt = new Date();
    await Promise.all(
      batch.map(async (event, index) => {
        const entry = entries[index] ?? UNSAID;
        // A refused event of a batch is tried alone: the batch itself may have been wrong.
        if (entry.kind === "refused" && batch.length > 1) return void (await this.run([event], ALONE));
        const outcome = outcomeOf(event, entry, dueInMs ?? entryBackOffMs(event.attempt));
        if (event.replayId !== null || entry.kind === "topic_refused")
          return await outcomes.keep(outcome, []);
        metrics.published.inc({ outcome: entry.kind });
        await outcomes.keep(outcome, entry.kind === "refused" ? [dead(event, entry.error)] : []);
        if (entry.kind === "accepted")
          logPublished(event, { messageId: entry.messageId, acceptedAt }, { log, metrics });
      }),
    );
  }
}

/** The events of one route; what becomes of them decides the state of its topic. */
export class PublishQueue extends Sending {
  readonly name: string;
  readonly #options: SendingOptions & { route: Route; upstream: Upstream };

  constructor(options: SendingOptions & { route: Route; upstream: Upstream }) {
    super(options);
    this.name = queueOf(options.route);
    this.#options = options;
  }

  async claim(wanted: number): Promise<Claim<ClaimedEvent>> {
    const { db, route, upstream, lease } = this.#options;
    const { items, isHealthy, moreInMs } = await claimEvents(db, { route, wanted, lease });
    if (items.length > 0) failpoint("events claimed");
    upstream.saw(isHealthy);
    return { items, more: items.length >= wanted, moreInMs };
  }

  protected note(report: UpstreamReport): Promise<boolean> {
    return this.#options.upstream.note(report);
  }
}

/** The pause after a claim that found nothing, in ms: without it each wake-up of a live event would claim. */
const REST_MS = 250;

interface ReplayQueueOptions extends SendingOptions {
  /** The routes of this process. */
  routes: readonly Route[];
  /** All topics that it may send replays to. */
  topics: readonly string[];
}

/**
 * The events that replays have queued, for any topic: sent after everything live, with a quarter of the
 * requests at most (replay is safe, G9). Its faults change no topic's state, and the replay reports them:
 * each event backs off by itself, a refused event becomes `dead`, and `held` if the topic is refused.
 */
export class ReplayEventsQueue extends Sending {
  readonly name = REPLAYS;
  readonly share = 0.25;
  readonly #options: ReplayQueueOptions;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ReplayQueueOptions) {
    super(options);
    this.#options = options;
  }

  async claim(wanted: number): Promise<Claim<ClaimedEvent>> {
    const restsMs = this.#restsUntil - performance.now();
    if (restsMs > 0) return { items: [], more: false, moreInMs: restsMs };
    const items = await claimReplayed(this.#options.db, { ...this.#options, wanted });
    if (items.length > 0) failpoint("replayed events claimed");
    else this.#restsUntil = performance.now() + REST_MS;
    return { items, more: items.length >= wanted, moreInMs: null };
  }

  protected async note(): Promise<boolean> {
    return true;
  }
}

const ALONE: RequestSlot = { ended: () => undefined, signal: new AbortController().signal };

const UNSAID: EntryOutcome = {
  kind: "failed",
  error: "the destination said nothing about this event",
};

/** How long one event waits that failed while its neighbours went through, in ms. */
const entryBackOffMs = (attempt: number): number => backOffMs(attempt + 1, TOPIC.policy.backOff);

type TopicRefusal = Extract<BatchOutcome, { kind: "topic_refused" }>;

const STATE = {
  accepted: "accepted",
  refused: "dead",
  failed: "due",
  topic_refused: "held",
} as const satisfies Record<string, EventOutcome["state"]>;

const outcomeOf = (
  { id, source, replayId, leaseToken, topicArn, payload }: ClaimedEvent,
  entry: EntryOutcome | TopicRefusal,
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

/** Logs a line and two durations for each published payment: ids and times, nothing about the payer. */
function logPublished(
  event: ClaimedEvent,
  { messageId, acceptedAt }: { messageId: string; acceptedAt: Date },
  { log, metrics }: { log: Logger; metrics: Metrics },
): void {
  const { source, topicArn: topic } = event;
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
 * An entry continues the trace in which its event was made. A replay may come days later: its entries begin traces
 * of their own.
 */
function startSending(
  tracer: Tracer,
  topicArn: string,
  batch: readonly OutgoingEvent[],
  replayId: string | null,
) {
  const topic = topicArn.slice(topicArn.lastIndexOf(":") + 1);
  const common = {
    "messaging.system": "aws.sns",
    "messaging.destination.name": topic,
    "aws.sns.topic.arn": topicArn,
    "invoice_relay.replay.id": replayId ?? undefined,
  };
  const entries = batch.map((event) =>
    tracer.start(`publish ${topic}`, {
      kind: "producer",
      parent: replayId === null ? (event.traceparent ?? null) : null,
      attributes: {
        ...common,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "invoice_relay.source": event.source,
        "invoice_relay.invoice.id": event.invoiceId,
        "invoice_relay.event.id": event.id,
      },
    }),
  );
  return {
    /** Each with the context that its consumers continue. */
    events: batch.map((event, index) => ({ ...event, traceparent: entries[index]?.traceparent ?? null })),
    end(outcome: BatchOutcome): void {
      for (const [index, entry] of entries.entries())
        endEntry(entry, outcome.kind === "answered" ? outcome.entries[index] : undefined, outcome.kind);
    },
  };
}

function endEntry(span: Span, entry: EntryOutcome | undefined, otherwise: BatchOutcome["kind"]): void {
  if (entry?.kind === "accepted") span.set({ "messaging.message.id": entry.messageId });
  const outcome = entry?.kind ?? otherwise;
  span.set({ "invoice_relay.outcome": outcome });
  span.end(outcome === "accepted" ? undefined : outcome);
}
