import { z } from "zod";
import { entries, FORBIDDEN_CHARACTER, invalidParameter, SnsError } from "./protocol.ts";
import type { Acceptance, Topic } from "./topics.ts";

interface MessageAttribute {
  readonly type: string;
  readonly value: string;
}

const attribute = z.object({
  Name: z.string().default(""),
  Value: z.object({ DataType: z.string().default(""), StringValue: z.string().default("") }).prefault({}),
});

/** The fields of one message, alone or in a batch. A refused attribute refuses the batch, as in SNS. */
export const messageFields = {
  Message: z.string().default(""),
  Subject: z.string().optional(),
  MessageAttributes: entries(attribute).transform(
    (all): ReadonlyMap<string, MessageAttribute> => new Map(all.map(readAttribute)),
  ),
  MessageGroupId: z.string().optional(),
  MessageDeduplicationId: z.string().optional(),
};

const messageSchema = z.object(messageFields);

export type Message = z.output<typeof messageSchema>;

/** The relay sends texts: those are what it takes. @throws SnsError `ParameterValueInvalid`. */
function readAttribute({ Name: name, Value }: z.output<typeof attribute>): [string, MessageAttribute] {
  const { DataType: type, StringValue: value } = Value;
  const refusal = (message: string) => new SnsError("ParameterValueInvalid", message);
  if (!/^[\w-]+(\.[\w-]+)*$/.test(name) || name.length > 256)
    throw refusal("The message attribute name holds an invalid character, or more than 256.");
  if (!/^String(\..+)?$/.test(type))
    throw refusal(`The message attribute '${name}' is not of type String, which is all the local SNS takes.`);
  if (value === "")
    throw refusal(`The message attribute '${name}' must contain non-empty message attribute value.`);
  return [name, { type, value }];
}

/** The most that one message, or all messages of a batch together, may measure in bytes. */
export const SIZE_LIMIT = 262_144;

/** Message and attributes (names, types and values), in bytes. */
export function sizeOf({ Message, MessageAttributes }: Message): number {
  let size = Buffer.byteLength(Message);
  for (const [name, { type, value }] of MessageAttributes)
    size += Buffer.byteLength(name) + Buffer.byteLength(type) + Buffer.byteLength(value);
  return size;
}

/** Why SNS does not take this content; undefined when it does. */
export function contentRefusal({ Message }: Message): SnsError | undefined {
  if (Message === "") return invalidParameter("Empty message");
  if (Message.search(FORBIDDEN_CHARACTER) < 0) return undefined;
  return invalidParameter("Message Reason: The message holds a character that is not allowed");
}

/** Why SNS does not take this message into a topic of this kind, for its group or deduplication. */
export function groupRefusal(
  { MessageGroupId = "", MessageDeduplicationId }: Message,
  { fifo }: Topic,
): SnsError | undefined {
  if (fifo === undefined && MessageDeduplicationId !== undefined)
    return invalidParameter("MessageDeduplicationId Reason: it is not valid for this topic type");
  if (fifo !== undefined && MessageGroupId === "")
    return invalidParameter("The MessageGroupId parameter is required for FIFO topics");
  return undefined;
}

export interface AcceptedMessage {
  readonly message: Message;
  readonly topicArn: string;
  readonly acceptance: Acceptance;
  readonly deduplicationId: string | undefined;
  /** ISO 8601, UTC. */
  readonly acceptedAt: string;
}

/** The outcome of one message at one subscription. */
export interface DeliveryRecord {
  readonly messageId: string;
  readonly type: string;
  readonly endpoint: string;
  /** `failed`: the endpoint never took it. */
  readonly outcome: "delivered" | "failed";
  readonly attempts: number;
  /** The last HTTP status; undefined when there was none. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** The events of the past, to inspect later: the last `keep` of each kind, and only in memory. */
export const createJournal = (keep: number) => ({
  messages: lastItems<AcceptedMessage>(keep),
  deliveries: lastItems<DeliveryRecord>(keep),
});

export type Journal = ReturnType<typeof createJournal>;

function lastItems<Item>(keep: number) {
  let items: Item[] = [];
  return {
    add(item: Item) {
      items.push(item);
      if (items.length > 2 * keep) items = items.slice(-keep);
    },
    list: () => items.slice(-keep),
    clear() {
      items = [];
    },
  };
}

export const showMessage = (accepted: AcceptedMessage) => ({
  topicArn: accepted.topicArn,
  messageId: accepted.acceptance.messageId,
  message: accepted.message.Message,
  subject: accepted.message.Subject,
  messageAttributes: showAttributes(accepted.message.MessageAttributes),
  messageGroupId: accepted.message.MessageGroupId,
  messageDeduplicationId: accepted.deduplicationId,
  sequenceNumber: accepted.acceptance.sequenceNumber,
  acceptedAt: accepted.acceptedAt,
  deduplicated: accepted.acceptance.deduplicated,
});

/** Message attributes as the envelope and the control routes spell them. */
export const showAttributes = (attributes: ReadonlyMap<string, MessageAttribute>) =>
  Object.fromEntries(
    Array.from(attributes, ([name, { type, value }]) => [name, { Type: type, Value: value }] as const),
  );
