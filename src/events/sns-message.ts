import { z } from "zod";
import { InvoicePaidError } from "./invoice-paid-error.ts";

/** What SNS posts, and puts into an SQS body (SNS Developer Guide, "Parsing Amazon SNS message formats"). */
const envelope = z.object({
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(["1", "2"]).optional(),
  Signature: z.string().optional(),
  SigningCertURL: z.string().optional(),
});
const confirmation = envelope.extend({ Token: z.string(), SubscribeURL: z.string() });

export const snsMessageSchema = z.discriminatedUnion("Type", [
  envelope.extend({ Type: z.literal("Notification"), Subject: z.string().nullish() }),
  confirmation.extend({ Type: z.literal("SubscriptionConfirmation") }),
  confirmation.extend({ Type: z.literal("UnsubscribeConfirmation") }),
]);

export type SnsMessage = z.output<typeof snsMessageSchema>;

const NOTIFICATION_FIELDS = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONFIRMATION_FIELDS = [
  "Message",
  "MessageId",
  "SubscribeURL",
  "Timestamp",
  "Token",
  "TopicArn",
  "Type",
];

/** The text that SNS signed: the names and values of certain fields, a line each; a missing field is left out. */
export function signedText(message: SnsMessage): string {
  const fields: Record<string, unknown> = message;
  const names = message.Type === "Notification" ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS;
  return names
    .filter((name) => fields[name] !== undefined && fields[name] !== null)
    .map((name) => `${name}\n${String(fields[name])}\n`)
    .join("");
}

/** Text or bytes parsed as JSON, undefined when it is none; anything else as it is. */
export function readJson(input: unknown): unknown {
  const text = input instanceof Uint8Array ? new TextDecoder().decode(input) : input;
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An address at one of these origins, without credentials. @returns undefined when it is none */
export function snsAddress(address: string, origins: readonly string[]): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return undefined;
  return origins.some((origin) => URL.canParse(origin) && new URL(origin).origin === url.origin)
    ? url
    : undefined;
}

const FETCH_TIMEOUT_MS = 5_000;
const LONGEST_TEXT = 64 * 1024;

/** Redirects are refused: they lead away from the pinned host. @throws InvoicePaidError `unreachable` */
export async function fetchText(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.length > LONGEST_TEXT) throw new Error(`it answered more than ${LONGEST_TEXT} characters`);
    }
    return text;
  } catch (cause) {
    throw new InvoicePaidError("unreachable", `${new URL(address).host} could not be asked.`, cause);
  }
}
