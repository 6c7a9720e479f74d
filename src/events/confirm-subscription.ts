import { InvoicePaidError } from "./invoice-paid-error.ts";
import { fetchText, readJson, snsAddress, snsMessageSchema } from "./sns-message.ts";
import { namedTopics, type Trust, verifySignature } from "./verify-signature.ts";

/**
 * Answers SNS' question whether this endpoint wants a topic's messages: verifies it, then opens its
 * SubscribeURL.
 * @param body what SNS posted with `x-amz-sns-message-type: SubscriptionConfirmation`, as text, bytes or
 *   parsed
 * @returns the topic's ARN
 * @throws InvoicePaidError; with `retry`, answer 500 so that SNS asks again
 * @throws TypeError when `topicArns` names no topic
 */
export async function confirmSubscription(body: unknown, trust: Trust): Promise<string> {
  namedTopics(trust);
  const read = snsMessageSchema.safeParse(readJson(body));
  if (!read.success || read.data.Type !== "SubscriptionConfirmation")
    throw new InvoicePaidError("unreadable", "This is no SubscriptionConfirmation of SNS.");
  const message = read.data;
  const origins = await verifySignature(message, trust);
  const url = snsAddress(message.SubscribeURL, origins);
  if (url === undefined)
    throw new InvoicePaidError("forged", "The message's SubscribeURL is not an address of SNS.");
  await fetchText(url.href);
  return message.TopicArn;
}
