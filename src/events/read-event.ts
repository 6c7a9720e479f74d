import { z } from "zod";
import { type InvoicePaid, invoicePaidSchema } from "./invoice-paid.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { readJson } from "./read-json.ts";
import type { SnsMessage } from "./sns-message.ts";

const anyEvent = z.object({ specversion: z.string(), type: z.string(), dataschema: z.string().optional() });

/** Whether it says that it is a CloudEvent. */
export const isAnyEvent = (value: unknown): boolean => anyEvent.safeParse(value).success;

/** The event in a notification of SNS. @throws InvoicePaidError */
export function readNotification(message: SnsMessage): InvoicePaid {
  if (message.Type !== "Notification")
    throw new InvoicePaidError(
      "not_a_notification",
      `This is a ${message.Type} of SNS. Give a SubscriptionConfirmation to confirmSubscription.`,
    );
  return readEvent(readJson(message.Message));
}

/** A value that should be the event, read by its schema. @throws InvoicePaidError */
export function readEvent(value: unknown): InvoicePaid {
  const named = anyEvent.safeParse(value);
  if (!named.success) throw new InvoicePaidError("unreadable", "The message holds no CloudEvent.");
  const { type, dataschema } = invoicePaidSchema.shape;
  if (!type.safeParse(named.data.type).success || !dataschema.safeParse(named.data.dataschema).success)
    throw new InvoicePaidError(
      "another_event",
      "The event is of another type or version. A filter policy on `type` keeps other types away.",
    );
  const event = invoicePaidSchema.safeParse(value);
  if (!event.success) {
    const where = event.error.issues.map((issue) => issue.path.join(".")).join(", ");
    throw new InvoicePaidError("invalid_event", `The event does not fit its schema at: ${where}.`);
  }
  return event.data;
}
