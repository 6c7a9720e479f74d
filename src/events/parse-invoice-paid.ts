import type { InvoicePaid } from "./invoice-paid.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { readNotification } from "./read-event.ts";
import { readJson } from "./read-json.ts";
import { snsMessageSchema } from "./sns-message.ts";
import { namedTopics, type Trust } from "./trust.ts";
import { verifySignature } from "./verify-signature.ts";

/**
 * Reads the event in what SNS posted over HTTP, once its signature is verified. Nothing unsigned is taken,
 * whatever it looks like: for what Lambda or a queue delivers there is `parseUnsignedInvoicePaid`. Money
 * stays a decimal string, as it was published. Fields that a newer relay adds are left out.
 * @param body what was posted, as text, bytes or parsed
 * @throws InvoicePaidError: `retry` says whether another delivery may help
 * @throws TypeError when `topicArns` names no topic
 */
export async function parseInvoicePaid(body: unknown, trust: Trust): Promise<InvoicePaid[]> {
  namedTopics(trust);
  const message = snsMessageSchema.safeParse(readJson(body));
  if (!message.success)
    throw new InvoicePaidError(
      "unreadable",
      "This is no message that SNS signed (raw message delivery over HTTP has no signature). " +
        "What comes through a queue or Lambda goes to parseUnsignedInvoicePaid.",
    );
  await verifySignature(message.data, trust);
  return [readNotification(message.data)];
}
