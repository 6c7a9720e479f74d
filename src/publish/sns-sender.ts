import { PublishBatchCommand, type PublishBatchRequestEntry, SNSClient } from "@aws-sdk/client-sns";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { messageOf } from "../kit/errors.ts";
import { quietText } from "../kit/mask/quiet-text.ts";

/** What became of one entry. */
export type EntryOutcome =
  | { kind: "accepted"; messageId: string }
  /** SNS says that this entry is at fault. */
  | { kind: "refused"; error: string }
  /** It failed, or nobody knows: sent again with the same id (G5). */
  | { kind: "failed"; error: string };

/** What became of a batch. */
export type BatchOutcome =
  | { kind: "answered"; entries: Map<string, EntryOutcome> }
  /** The request as a whole was at fault. */
  | { kind: "refused"; error: string }
  /** Throttling, 5xx, time-out: the outcome of every entry is unknown. */
  | { kind: "failed"; error: string }
  /** Credentials refused or missing, no such topic, no right to use it. */
  | { kind: "topic_refused"; error: string };

/** Sends batches to SNS; outcomes are results, nothing is thrown. */
export interface SnsSender {
  send(topicArn: string, entries: PublishBatchRequestEntry[]): Promise<BatchOutcome>;
  close(): void;
}

export interface SnsSenderOptions {
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

/** The AWS SDK behind the port. Its own retries are off: what is sent again is decided entry by entry, in Postgres. */
export function createSnsSender(options: SnsSenderOptions): SnsSender {
  const client = new SNSClient({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 5_000,
      requestTimeout: options.timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: options.connections },
      httpsAgent: { keepAlive: true, maxSockets: options.connections },
    }),
  });
  // It puts every message through a filter for a log that nobody keeps.
  client.middlewareStack.remove("loggerMiddleware");
  return {
    send: (topicArn, entries) => send(client, topicArn, entries),
    close: () => client.destroy(),
  };
}

async function send(
  client: SNSClient,
  topicArn: string,
  entries: PublishBatchRequestEntry[],
): Promise<BatchOutcome> {
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
      const error = quietText(`${Code ?? "failed"}: ${Message ?? "SNS gave no reason"}`).slice(0, 500);
      if (Id !== undefined) outcomes.set(Id, { kind: SenderFault === true ? "refused" : "failed", error });
    }
    return { kind: "answered", entries: outcomes };
  } catch (error) {
    return { kind: kindOfError(error), error: `${nameOf(error)}: ${messageOf(error)}` };
  }
}

/** What a failure of a whole request means; anything unknown counts as passing. */
export function kindOfError(error: unknown): "refused" | "failed" | "topic_refused" {
  const name = nameOf(error);
  const withEnding = name.endsWith("Exception") || name.endsWith("Error") ? name : `${name}Exception`;
  if (TOPIC_REFUSED.has(name) || TOPIC_REFUSED.has(withEnding)) return "topic_refused";
  return BATCH_REFUSED.has(name) || BATCH_REFUSED.has(withEnding) ? "refused" : "failed";
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "Error");
