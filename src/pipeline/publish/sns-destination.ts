import type { MessageAttributeValue, PublishBatchRequestEntry } from "@aws-sdk/client-sns";
import { messageOf } from "../../platform/errors/index.ts";
import { NIL_UUID, quietText, storableText } from "../../platform/values/index.ts";

/** The outcome of one event. */
export type EntryOutcome =
  | { kind: "accepted"; messageId: string }
  /** This event is at fault: sent again, it would be refused again. */
  | { kind: "refused"; error: string }
  /** It failed, or nobody knows: sent again with the same id (G5). */
  | { kind: "failed"; error: string };

/** The outcome of a batch. */
export type BatchOutcome =
  /** Entry by entry, in the order of the batch. */
  | { kind: "answered"; entries: readonly EntryOutcome[] }
  /** The request as a whole was at fault. */
  | { kind: "refused"; error: string }
  /** Throttling, 5xx, time-out: the outcome of every entry is unknown. */
  | { kind: "failed"; error: string }
  /** Credentials refused or missing, no such topic, no right to use it. */
  | { kind: "topic_refused"; error: string };

/** SNS' description of a topic. */
type TopicDescription =
  /**
   * `subscriptions` counts the confirmed ones; `signatureVersion` is how messages are signed: 1 is SHA-1, 2
   * is SHA-256.
   */
  | { kind: "there"; subscriptions: number; signatureVersion: string }
  /** These credentials may not ask, which says nothing about publishing. */
  | { kind: "not_allowed"; error: string }
  | { kind: "fault"; error: string /** It did not answer, or cannot now. */; away: boolean };

interface SnsOptions {
  region: string;
  /** Another endpoint than AWS'. */
  endpoint?: string | undefined;
  /** How many requests are under way at most. */
  connections: number;
  timeoutMs: number;
}

/**
 * Amazon SNS: the one place that knows the AWS SDK. Outcomes are results, nothing is thrown. The SDK's own
 * retries are off: what is sent again is decided entry by entry, in Postgres.
 */
export class SnsDestination {
  readonly batchSize = BATCH_SIZE;
  readonly fitting = countFitting;
  readonly #sdk: ReturnType<typeof startSdk>;

  constructor(options: SnsOptions) {
    this.#sdk = startSdk(options);
  }

  /** @param replayId marks what is sent again on purpose. */
  async send(topicArn: string, batch: readonly OutgoingEvent[], replayId?: string): Promise<BatchOutcome> {
    const entries = batch.map((event) => entryOf(event, topicArn, replayId));
    try {
      const { client, PublishBatchCommand } = await this.#sdk;
      const { Successful = [], Failed = [] } = await client.send(
        new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries: entries }),
      );
      const outcomes = new Map<string, EntryOutcome>();
      for (const { Id, Code, Message, SenderFault } of Failed) {
        const error = storable(`${Code ?? "failed"}: ${Message ?? "SNS gave no reason"}`);
        const isAtFault = SenderFault === true && !PASSES.test(Code ?? "");
        if (Id !== undefined) outcomes.set(Id, { kind: isAtFault ? "refused" : "failed", error });
      }
      // Last: an acceptance is a fact, even if the same entry is also reported as failed.
      for (const { Id, MessageId } of Successful) {
        if (Id !== undefined && MessageId)
          outcomes.set(Id, { kind: "accepted", messageId: storableText(MessageId) });
      }
      // Of a proxy's page, perhaps: it is the topic that backs off, not each event by itself.
      if (batch.every(({ id }) => !outcomes.has(id))) return UNSAID;
      return { kind: "answered", entries: batch.map(({ id }) => outcomes.get(id) ?? UNSAID) };
    } catch (error) {
      return { kind: kindOfError(error), error: describeError(error) };
    }
  }

  /** Asks for a topic's attributes, once. */
  async describe(topicArn: string): Promise<TopicDescription> {
    try {
      const { client, GetTopicAttributesCommand } = await this.#sdk;
      const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
      const { SubscriptionsConfirmed = "0", SignatureVersion = "1" } = Attributes;
      return {
        kind: "there",
        subscriptions: Number(SubscriptionsConfirmed),
        signatureVersion: SignatureVersion,
      };
    } catch (error) {
      return NOT_ALLOWED.test(nameOf(error))
        ? { kind: "not_allowed", error: describeError(error) }
        : { kind: "fault", error: describeError(error), away: isAway(error) };
    }
  }

  close(): void {
    void this.#sdk.then(({ client }) => client.destroy());
  }
}

/**
 * Loads the SDK, which takes as long as all of a command. `serve` loads it before it claims work, so that no lease
 * runs out meanwhile.
 */
export const loadSdk = () =>
  Promise.all([import("@aws-sdk/client-sns"), import("@smithy/node-http-handler")]);

async function startSdk({ region, endpoint, connections, timeoutMs }: SnsOptions) {
  const [sdk, { NodeHttpHandler }] = await loadSdk();
  const client = new sdk.SNSClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: Math.min(5_000, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: connections },
      httpsAgent: { keepAlive: true, maxSockets: connections },
    }),
  });
  // The first filters every message for an unused log, the second describes its environment with each batch:
  // a sixth of the SDK's time.
  const stack = client.middlewareStack;
  for (const name of ["loggerMiddleware", "getUserAgentMiddleware"]) stack.remove(name);
  stack.add(
    (next) => (sent) => {
      (sent.request as { headers: Record<string, string> }).headers["user-agent"] = "invoice-relay";
      return next(sent);
    },
    { step: "build", name: "userAgent" },
  );
  return { ...sdk, client };
}

const UNSAID = { kind: "failed", error: "SNS said nothing about this event" } as const;

const TOPIC_REFUSED = new Set([
  "AuthorizationErrorException",
  "AccessDeniedException",
  "CredentialsProviderError",
  "ExpiredTokenException",
  "InvalidClientTokenId",
  "InvalidClientTokenIdException",
  "InvalidSecurityException",
  "KMSAccessDeniedException",
  "KMSDisabledException",
  "KMSInvalidStateException",
  "KMSNotFoundException",
  "MissingAuthenticationTokenException",
  "NotFoundException",
  "OptInRequiredException",
  "SignatureDoesNotMatchException",
  "UnrecognizedClientException",
]);

const BATCH_REFUSED = new Set([
  "BatchEntryIdsNotDistinctException",
  "BatchRequestTooLongException",
  "EmptyBatchRequestException",
  "InvalidBatchEntryIdException",
  "InvalidParameterException",
  "InvalidParameterValueException",
  "TooManyEntriesInBatchRequestException",
  "ValidationException",
]);

/** Codes of one entry that pass by themselves, although SNS counts some of them as the sender's fault. */
const PASSES = /throttl|exceeded|toomanyrequests|internal|unavailable/i;

/** The meaning of a failed request; an unknown failure counts as temporary. */
export function kindOfError(error: unknown): "refused" | "failed" | "topic_refused" {
  const name = nameOf(error);
  const withEnding = name.endsWith("Exception") || name.endsWith("Error") ? name : `${name}Exception`;
  if (TOPIC_REFUSED.has(name) || TOPIC_REFUSED.has(withEnding)) return "topic_refused";
  return BATCH_REFUSED.has(name) || BATCH_REFUSED.has(withEnding) ? "refused" : "failed";
}

const NOT_ALLOWED = /^(AuthorizationError|AccessDenied)(Exception)?$/;

/** No answer at all, or one that blames the service; missing credentials are our own fault. */
function isAway(error: unknown): boolean {
  if (nameOf(error) === "CredentialsProviderError") return false;
  const { $metadata: { httpStatusCode: status } = {} } = error as { $metadata?: { httpStatusCode?: number } };
  return status === undefined || status >= 500;
}

/** The name of an error of the SDK: the code that SNS gave. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "Error");

/** An error of the SDK, for a person. */
const describeError = (error: unknown): string => storable(`${nameOf(error)}: ${messageOf(error)}`);

/** How much of SNS' own words is kept, in characters. */
const LONGEST_ERROR = 500;

const storable = (words: string): string => storableText(quietText(words)).slice(0, LONGEST_ERROR);

/** An event on its way to a topic. */
export interface OutgoingEvent {
  id: string;
  source: string;
  invoiceId: string;
  type: string;
  invoiceType: string;
  collectionName: string | null;
  /** Exactly what is sent. */
  payload: string;
  /** The trace context of this message; null while tracing is off. */
  traceparent?: string | null;
}

/** SNS' limits for one PublishBatch. */
const BATCH_SIZE = 10;
const BATCH_BYTES = 262_144;

/**
 * The SNS entry of an event. On a FIFO topic the group is the invoice; a replay has a deduplication id of its
 * own, since SNS would otherwise swallow it for five minutes.
 */
export function entryOf(event: OutgoingEvent, topicArn: string, replayId?: string): PublishBatchRequestEntry {
  // At most seven: raw delivery to SQS discards a message with more than ten. They hold no personal data,
  // empty ones are left out, and the body repeats them all.
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
function countFitting(events: readonly OutgoingEvent[]): number {
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
