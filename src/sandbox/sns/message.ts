import { z } from "zod";
import { FORBIDDEN_CHARACTER, invalidParameter, SnsError } from "./answers.ts";
import { attributeOf } from "./attributes.ts";
import { entries } from "./form.ts";
import type { Topic } from "./topics.ts";

export interface MessageAttribute {
  /** `String`, `Number`, `Binary`, or one of them with a label behind a dot. */
  readonly type: string;
  /** Base64 for a binary attribute. */
  readonly value: string;
}

const attribute = z.object({
  Name: z.string().default(""),
  Value: z
    .object({
      DataType: z.string().optional(),
      StringValue: z.string().optional(),
      BinaryValue: z.string().optional(),
    })
    .default({}),
});

/** The fields of one message, alone or in a batch. A refused attribute refuses the batch, as in SNS. */
export const messageFields = {
  Message: z.string().default(""),
  Subject: z.string().optional(),
  MessageStructure: z.string().default(""),
  MessageAttributes: entries(attribute).transform(
    (all): ReadonlyMap<string, MessageAttribute> => new Map(all.map(readAttribute)),
  ),
  MessageGroupId: z.string().optional(),
  MessageDeduplicationId: z.string().optional(),
};

const messageSchema = z.object(messageFields);

export type Message = z.output<typeof messageSchema>;

const refusal = (message: string) => new SnsError("ParameterValueInvalid", message);

/** @throws SnsError `ParameterValueInvalid` or `ValidationError`. */
function readAttribute({ Name: name, Value }: z.output<typeof attribute>): [string, MessageAttribute] {
  const { DataType: type, StringValue, BinaryValue } = Value;
  if (!/^[\w-]+(\.[\w-]+)*$/.test(name))
    throw refusal(
      "Invalid character was found in the message attribute name. Can only include alphanumeric characters, " +
        "hyphens, underscores, or single dots between them.",
    );
  if (name.length > 256) throw refusal("Length of message attribute name must be less than 256 bytes.");
  if (type === undefined)
    throw new SnsError(
      "ValidationError",
      `1 validation error detected: Value null at 'messageAttributes.${name}.member.dataType' failed ` +
        "to satisfy constraint: Member must not be null",
    );
  if (!/^(String|Number|Binary)(\..+)?$/.test(type))
    throw refusal(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported ` +
        "type prefixes is Binary, Number, and String.",
    );
  const isBinary = type.startsWith("Binary");
  const value = isBinary ? BinaryValue : StringValue;
  if (value === undefined && (StringValue ?? BinaryValue) !== undefined)
    throw refusal(
      `The message attribute '${name}' with type '${type}' must use field '${isBinary ? "Binary" : "String"}'.`,
    );
  if (value === undefined || value === "")
    throw refusal(
      `The message attribute '${name}' must contain non-empty message attribute value for message ` +
        `attribute type '${type}'.`,
    );
  if (type.startsWith("Number") && (value.trim() === "" || !Number.isFinite(Number(value))))
    throw refusal(`Could not cast message attribute '${name}' value to number.`);
  if (isBinary && !/^[A-Za-z0-9+/]+={0,2}$/.test(value))
    throw refusal(`The message attribute '${name}' holds a value that is no Base64.`);
  return [name, { type, value }];
}

/** The most that one message, or all messages of a batch together, may measure in bytes. */
export const SIZE_LIMIT = 262_144;

/** Message and attributes (names, types and values), in bytes. */
export function sizeOf({ Message, MessageAttributes }: Message): number {
  let size = Buffer.byteLength(Message);
  for (const [name, { type, value }] of MessageAttributes) {
    const encoding = type.startsWith("Binary") ? "base64" : "utf8";
    size += Buffer.byteLength(name) + Buffer.byteLength(type) + Buffer.byteLength(value, encoding);
  }
  return size;
}

/** Why SNS does not take this content; undefined when it does. */
export function contentRefusal({ Message, Subject, MessageStructure }: Message): SnsError | undefined {
  if (Message === "") return invalidParameter("Empty message");
  if (Message.search(FORBIDDEN_CHARACTER) >= 0)
    return invalidParameter("Message Reason: The message holds a character that is not allowed");
  // ASCII that begins with a letter, a number or punctuation, without control characters.
  if (Subject !== undefined && !/^[!-~][ -~]{0,99}$/.test(Subject)) return invalidParameter("Subject");
  if (MessageStructure === "") return undefined;
  return invalidParameter("MessageStructure: the local SNS sends one text to every protocol");
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
  const isContentBased = attributeOf(attributes, "ContentBasedDeduplication") === "true";
  if (MessageDeduplicationId !== undefined || isContentBased) return undefined;
  return invalidParameter(
    "The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided " +
      "explicitly",
  );
}
