import type { Span, Tracer } from "../kit/trace.ts";
import type { BatchOutcome, EntryOutcome } from "./sns-destination.ts";
import type { OutgoingEvent } from "./sns-entry.ts";

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
