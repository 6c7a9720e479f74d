import { z } from "zod";
import { FORBIDDEN_CHARACTER, invalidParameter, SnsError } from "./answers.ts";
import { entries } from "./form.ts";
import type { Topic } from "./topics.ts";

export interface MessageAttribute {
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

const FIFO_ID = /^[!-~]{1,128}$/;
const FIFO_ID_FORM = "Reason: 1 to 128 letters, digits and punctuation are allowed";

/** Why SNS does not take this message into a topic of this kind: what concerns groups and deduplication. */
export function groupRefusal(
  { MessageGroupId = "", MessageDeduplicationId }: Message,
  { fifo, attributes }: Topic,
): SnsError | undefined {
  if (MessageGroupId !== "" && !FIFO_ID.test(MessageGroupId))
    return invalidParameter(`MessageGroupId ${FIFO_ID_FORM}`);
  if (fifo === undefined) {
    if (MessageDeduplicationId === undefined) return undefined;
    return invalidParameter(
      "MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is " +
        "not valid for this topic type",
    );
  }
  if (MessageGroupId === "")
    return invalidParameter("The MessageGroupId parameter is required for FIFO topics");
  if (MessageDeduplicationId !== undefined && !FIFO_ID.test(MessageDeduplicationId))
    return invalidParameter(`MessageDeduplicationId ${FIFO_ID_FORM}`);
  const isContentBased = attributes.get("ContentBasedDeduplication") === "true";
  if (MessageDeduplicationId !== undefined || isContentBased) return undefined;
  return invalidParameter(
    "The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided " +
      "explicitly",
  );
}
