import { PublishBatchCommand, SNSClient } from "@aws-sdk/client-sns";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { describeTopic } from "./describe-topic.ts";
import type { BatchOutcome, Destination, EntryOutcome, OutgoingEvent } from "./destination.ts";
import { entryOf, fitting, MOST_ENTRIES } from "./sns-entry.ts";
import { nameOf, told, toldBy } from "./told.ts";

export interface SnsOptions {
  region: string;
  /** Another endpoint than AWS'. */
  endpoint?: string | undefined;
  /** The most requests under way. */
  connections: number;
  timeoutMs: number;
}

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

/**
 * Amazon SNS behind the port. The SDK's own retries are off: what is sent again is decided entry by entry, in
 * Postgres.
 */
export function snsDestination(options: SnsOptions): Destination {
  const client = new SNSClient({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: Math.min(5_000, options.timeoutMs),
      requestTimeout: options.timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: options.connections },
      httpsAgent: { keepAlive: true, maxSockets: options.connections },
    }),
  });
  // It filters every message for a log that nobody keeps.
  client.middlewareStack.remove("loggerMiddleware");
  return {
    batchSize: MOST_ENTRIES,
    fitting,
    send: (topicArn, batch, replayId) => send(client, topicArn, batch, replayId),
    describe: (topicArn) => describeTopic(client, topicArn),
    close: () => client.destroy(),
  };
}

async function send(
  client: SNSClient,
  topicArn: string,
  batch: readonly OutgoingEvent[],
  replayId: string | undefined,
): Promise<BatchOutcome> {
  const entries = batch.map((event) => entryOf(event, topicArn, replayId));
  try {
    const { Successful = [], Failed = [] } = await client.send(
      new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries: entries }),
    );
    const outcomes = new Map<string, EntryOutcome>();
    for (const { Id, MessageId } of Successful) {
      if (Id !== undefined && MessageId !== undefined)
        outcomes.set(Id, { kind: "accepted", messageId: MessageId });
    }
    for (const { Id, Code, Message, SenderFault } of Failed) {
      const error = told(`${Code ?? "failed"}: ${Message ?? "SNS gave no reason"}`);
      if (Id !== undefined) outcomes.set(Id, { kind: SenderFault === true ? "refused" : "failed", error });
    }
    return { kind: "answered", entries: batch.map(({ id }) => outcomes.get(id) ?? UNSAID) };
  } catch (error) {
    return { kind: kindOfError(error), error: toldBy(error) };
  }
}

const UNSAID: EntryOutcome = { kind: "failed", error: "SNS said nothing about this entry" };

/** What a failure of a whole request means; anything unknown is taken to pass by itself. */
export function kindOfError(error: unknown): "refused" | "failed" | "topic_refused" {
  const name = nameOf(error);
  const withEnding = name.endsWith("Exception") || name.endsWith("Error") ? name : `${name}Exception`;
  if (TOPIC_REFUSED.has(name) || TOPIC_REFUSED.has(withEnding)) return "topic_refused";
  return BATCH_REFUSED.has(name) || BATCH_REFUSED.has(withEnding) ? "refused" : "failed";
}
