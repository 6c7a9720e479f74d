import type { MessageAttributeValue, PublishBatchRequestEntry } from "@aws-sdk/client-sns";

/** An event that this worker holds the lease of, as it goes out. */
export interface ClaimedEvent {
  id: string;
  leaseToken: string;
  invoiceId: string;
  source: string;
  type: string;
  invoiceType: string;
  collectionName: string | null;
  payload: string;
  attempt: number;
}

export interface SizedEntry {
  entry: PublishBatchRequestEntry;
  /** As SNS counts: message, attribute names, types and values. */
  bytes: number;
}

/**
 * The SNS entry of an event. At most six attributes (raw delivery to SQS discards a message with more than ten),
 * none personal, empty ones left out, all repeated in the body.
 * On a FIFO topic the group is the invoice; a replay has a deduplication id of its own, since SNS would
 * otherwise swallow it for five minutes.
 */
export function entryOf(
  event: Omit<ClaimedEvent, "leaseToken" | "attempt">,
  topicArn: string,
  replayId?: string,
): SizedEntry {
  const attributes: Record<string, string | null> = {
    id: event.id,
    type: event.type,
    source: `urn:invoice-relay:${event.source}`,
    invoiceType: event.invoiceType,
    collection: event.collectionName,
    replay: replayId ?? null,
  };
  const MessageAttributes: Record<string, MessageAttributeValue> = {};
  let bytes = Buffer.byteLength(event.payload);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === "") continue;
    MessageAttributes[name] = { DataType: "String", StringValue: value };
    bytes += name.length + "String".length + Buffer.byteLength(value);
  }
  const fifo = topicArn.endsWith(".fifo")
    ? {
        MessageGroupId: event.invoiceId,
        MessageDeduplicationId: replayId === undefined ? event.id : `${event.id}.${replayId}`,
      }
    : {};
  return { entry: { Id: event.id, Message: event.payload, MessageAttributes, ...fifo }, bytes };
}

/** SNS' limits for one PublishBatch. */
const MOST_ENTRIES = 10;
const MOST_BYTES = 262_144;

/** Fills batches in order, up to 10 entries and 262,144 bytes; an entry larger than that goes alone. */
export function batchesOf<Item extends { bytes: number }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    if (batch.length === MOST_ENTRIES || (batch.length > 0 && bytes + item.bytes > MOST_BYTES)) {
      batches.push(batch);
      [batch, bytes] = [[], 0];
    }
    batch.push(item);
    bytes += item.bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
