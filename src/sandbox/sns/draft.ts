import { type MessageAttributes, readMessageAttributes, sizeOfAttributes } from "./message-attributes.ts";
import { type Fields, textOf } from "./query-protocol.ts";
import { invalidParameter, type SnsError } from "./sns-error.ts";

/** A message as its sender sent it, before it is accepted. */
export interface Draft {
  readonly message: string;
  readonly subject: string | undefined;
  /** `json`: the message holds a text per protocol. */
  readonly structure: string | undefined;
  readonly attributes: MessageAttributes;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  /** Message and attributes, in bytes of UTF-8. */
  readonly size: number;
}

/** The most that one message, or all messages of a batch together, may measure in bytes. */
export const LARGEST = 262_144;

/** @throws SnsError when its attributes are refused. */
export function readDraft(fields: Fields): Draft {
  const message = textOf(fields, "Message") ?? "";
  const attributes = readMessageAttributes(fields);
  return {
    message,
    subject: textOf(fields, "Subject"),
    structure: textOf(fields, "MessageStructure"),
    attributes,
    groupId: textOf(fields, "MessageGroupId"),
    deduplicationId: textOf(fields, "MessageDeduplicationId"),
    size: Buffer.byteLength(message) + sizeOfAttributes(attributes),
  };
}

// What XML 1.0 cannot carry, SNS does not take.
const FORBIDDEN_CHARACTER = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

// ASCII that begins with a letter, a number or punctuation, without control characters, 100 at most.
const SUBJECT = /^[!-~][ -~]{0,99}$/;

const FIFO_ID = /^[!-~]{1,128}$/;

/** Why SNS does not take this content; undefined when it does. */
export function contentRefusal(draft: Draft): SnsError | undefined {
  if (draft.message === "") return invalidParameter("Empty message");
  if (FORBIDDEN_CHARACTER.test(draft.message)) {
    return invalidParameter("Message Reason: The message holds a character that is not allowed");
  }
  if (draft.subject !== undefined && !SUBJECT.test(draft.subject)) return invalidParameter("Subject");
  if (draft.structure === undefined || draft.structure === "") return undefined;
  if (draft.structure !== "json") return invalidParameter("MessageStructure");
  const texts = readTexts(draft.message);
  if (texts === undefined) {
    return invalidParameter("Message Structure - JSON message body failed to parse");
  }
  return typeof texts.default === "string"
    ? undefined
    : invalidParameter("Message Structure - No default entry in JSON message body");
}

/** Why SNS does not take this message into a topic of this kind: what concerns groups and deduplication. */
export function groupRefusal(
  draft: Draft,
  topic: { fifo: boolean; contentBased: boolean },
): SnsError | undefined {
  const { groupId, deduplicationId } = draft;
  if (groupId !== undefined && groupId !== "" && !FIFO_ID.test(groupId)) {
    return invalidParameter("MessageGroupId Reason: 1 to 128 letters, digits and punctuation are allowed");
  }
  if (!topic.fifo) {
    if (deduplicationId === undefined) return undefined;
    return invalidParameter(
      "MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is " +
        "not valid for this topic type",
    );
  }
  if (groupId === undefined || groupId === "") {
    return invalidParameter("The MessageGroupId parameter is required for FIFO topics");
  }
  if (deduplicationId !== undefined && !FIFO_ID.test(deduplicationId)) {
    return invalidParameter(
      "MessageDeduplicationId Reason: 1 to 128 letters, digits and punctuation are allowed",
    );
  }
  if (deduplicationId !== undefined || topic.contentBased) return undefined;
  return invalidParameter(
    "The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided " +
      "explicitly",
  );
}

/** The text for subscribers of one protocol: the message itself, or the part of it that is theirs. */
export function textFor(protocol: string, draft: Pick<Draft, "message" | "structure">): string {
  if (draft.structure !== "json") return draft.message;
  const texts = readTexts(draft.message) ?? {};
  const own = Object.hasOwn(texts, protocol) ? texts[protocol] : undefined;
  return typeof own === "string" ? own : String(texts.default);
}

function readTexts(message: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
