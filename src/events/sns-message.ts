import { z } from "zod";
import { InvoicePaidError } from "./invoice-paid.ts";

/** A message that SNS posts or puts into an SQS body (SNS Developer Guide, "Parsing Amazon SNS message formats"). */
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

/** Text or bytes parsed as JSON, undefined when it is not JSON; anything else as it is. */
export function readJson(input: unknown): unknown {
  const text = input instanceof Uint8Array ? new TextDecoder().decode(input) : input;
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The part of an address that excludes it from these origins, and the expected value; null when it is at one.
 */
export function misplaced(address: string, origins: readonly string[]): string | null {
  if (!URL.canParse(address)) return "it is no URL";
  const { host, protocol, username, password } = new URL(address);
  const known = origins.filter((origin) => URL.canParse(origin)).map((origin) => new URL(origin));
  // `localhost:4566` without its scheme has no host, nor has a `data:` address that a forger may name.
  const there = known.filter((origin) => host !== "" && origin.host === host);
  if (there.length === 0)
    return `the host "${host.slice(0, 100)}" is none of: ${known.map((one) => one.host).join(", ")}`;
  if (!there.some((origin) => origin.protocol === protocol)) return `the scheme is not ${there[0]?.protocol}`;
  return username === "" && password === "" ? null : "a user stands before its host";
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
