import { InvoicePaidError } from "./invoice-paid-error.ts";
import { readJson } from "./read-json.ts";
import { fetchText, isSnsAddress } from "./signing-certificate.ts";
import { snsMessageSchema } from "./sns-message.ts";
import { type Trust, verifySignature } from "./verify-signature.ts";

const MOST_BYTES = 64 * 1024;

/**
 * Answers SNS' question whether this endpoint wants a topic's messages: verifies it, then opens its SubscribeURL.
 * @param body what SNS posted with `x-amz-sns-message-type: SubscriptionConfirmation`, as text or parsed
 * @returns the topic's ARN
 * @throws InvoicePaidError; with `retry`, answer 500 so that SNS asks again
 */
export async function confirmSubscription(body: unknown, trust: Trust): Promise<string> {
  const read = snsMessageSchema.safeParse(readJson(body));
  if (!read.success || read.data.Type !== "SubscriptionConfirmation")
    throw new InvoicePaidError("unreadable", "This is no SubscriptionConfirmation of SNS.");
  const message = read.data;
  await verifySignature(message, trust);
  if (!isSnsAddress(message.SubscribeURL, trust.trustedOrigins ?? []))
    throw new InvoicePaidError("forged", "The message's SubscribeURL is not an address of SNS.");
  await fetchText(message.SubscribeURL, MOST_BYTES);
  return message.TopicArn;
}
