import type { MessageAttributeValue, PublishBatchRequestEntry } from "@aws-sdk/client-sns";
import { NIL_UUID } from "../kit/ids.ts";

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
 * The SNS entry of an event. On a FIFO topic the group is the invoice; a replay has a deduplication id of its
 * own, since SNS would otherwise swallow it for five minutes.
 */
export function entryOf(event: OutgoingEvent, topicArn: string, replayId?: string): PublishBatchRequestEntry {
  // At most seven: raw delivery to SQS discards a message with more than ten. None is personal, empty ones are left
  // out, all are repeated in the body.
  const MessageAttributes: Record<string, MessageAttributeValue> = {
    id: attribute(event.id),
    type: attribute(event.type),
    source: attribute(SOURCE_URN + event.source),
  };
  if (event.invoiceType !== "") MessageAttributes.invoiceType = attribute(event.invoiceType);
  if (event.collectionName) MessageAttributes.collection = attribute(event.collectionName);
  if (replayId !== undefined) MessageAttributes.replay = attribute(replayId);
  if (event.traceparent) MessageAttributes.traceparent = attribute(event.traceparent);
  const fifo = topicArn.endsWith(".fifo")
    ? {
        MessageGroupId: event.invoiceId,
        MessageDeduplicationId: replayId === undefined ? event.id : `${event.id}.${replayId}`,
      }
    : {};
  return { Id: event.id, Message: event.payload, MessageAttributes, ...fifo };
}

const SOURCE_URN = "urn:invoice-relay:";
const attribute = (StringValue: string): MessageAttributeValue => ({ DataType: "String", StringValue });

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

/** Names and types of all seven attributes, and the values that are added only when an event is sent. */
const ATTRIBUTE_BYTES = [
  ...["id", "type", "source", "invoiceType", "collection", "replay", "traceparent"].map(
    (name) => `${name}String`,
  ),
  ...[SOURCE_URN, NIL_UUID, "00-00000000000000000000000000000000-0000000000000000-00"],
].join("").length;

/** The bytes of an event as SNS counts them: message, attribute names, types and values. */
const bytesOf = ({ id, type, source, invoiceType, collectionName, payload }: OutgoingEvent): number =>
  ATTRIBUTE_BYTES +
  Buffer.byteLength(payload) +
  Buffer.byteLength(id + type + source + invoiceType + (collectionName ?? ""));
