import type { MessageAttributeValue, PublishBatchRequestEntry } from "@aws-sdk/client-sns";

/** One event on its way to a topic. */
export interface OutgoingEvent {
  id: string;
  source: string;
  invoiceId: string;
  type: string;
  invoiceType: string;
  collectionName: string | null;
  /** Exactly what is sent. */
  payload: string;
  /** The trace context of this message; none while tracing is off. */
  traceparent?: string | null;
}

/** SNS' limits for one PublishBatch. */
export const BATCH_SIZE = 10;
const BATCH_BYTES = 262_144;

/**
 * The message attributes: at most seven (raw delivery to SQS discards a message with more than ten), none
 * personal, empty ones left out, all repeated in the body.
 */
function attributesOf(event: OutgoingEvent, replayId: string | undefined): [name: string, value: string][] {
  const attributes: [string, string | null][] = [
    ["id", event.id],
    ["type", event.type],
    ["source", `urn:invoice-relay:${event.source}`],
    ["invoiceType", event.invoiceType],
    ["collection", event.collectionName],
    ["replay", replayId ?? null],
    ["traceparent", event.traceparent ?? null],
  ];
  return attributes.filter((attribute): attribute is [string, string] => (attribute[1] ?? "") !== "");
}

/**
 * The SNS entry of an event. On a FIFO topic the group is the invoice; a replay has a deduplication id of its
 * own, since SNS would otherwise swallow it for five minutes.
 */
export function entryOf(event: OutgoingEvent, topicArn: string, replayId?: string): PublishBatchRequestEntry {
  const MessageAttributes: Record<string, MessageAttributeValue> = {};
  for (const [name, value] of attributesOf(event, replayId))
    MessageAttributes[name] = { DataType: "String", StringValue: value };
  const fifo = topicArn.endsWith(".fifo")
    ? {
        MessageGroupId: event.invoiceId,
        MessageDeduplicationId: replayId === undefined ? event.id : `${event.id}.${replayId}`,
      }
    : {};
  return { Id: event.id, Message: event.payload, MessageAttributes, ...fifo };
}

/**
 * How many of the first events fit into one batch: up to 10 entries and 262,144 bytes; a larger event goes
 * alone.
 */
export function countFitting(events: readonly OutgoingEvent[]): number {
  let bytes = 0;
  let count = 0;
  for (const event of events.slice(0, BATCH_SIZE)) {
    bytes += bytesOf(event);
    if (count > 0 && bytes > BATCH_BYTES) return count;
    count += 1;
  }
  return count;
}

/** Always counted in, since they are added only when the event is sent. */
const REPLAY_ID = "00000000-0000-0000-0000-000000000000";
const TRACEPARENT = "00-00000000000000000000000000000000-0000000000000000-00";

/** The bytes of an event as SNS counts them: message, attribute names, types and values. */
function bytesOf(event: OutgoingEvent): number {
  const attributes = attributesOf({ ...event, traceparent: TRACEPARENT }, REPLAY_ID);
  return attributes.reduce(
    (bytes, [name, value]) => bytes + name.length + "String".length + Buffer.byteLength(value),
    Buffer.byteLength(event.payload),
  );
}
