import type { ConfirmationOutcome } from "../confirmations/write-outcomes.ts";
import type { AlarmName } from "../database/alarms.ts";
import type { NewEvent } from "../outbox/event.ts";
import type { ConfirmedInvoice } from "../payments/payment.ts";

/** What follows from one answer: all that is written for it, in one transaction. */
export interface Outcome extends ConfirmationOutcome {
  invoice: ConfirmedInvoice | null;
  event: NewEvent | null;
  /** Alarms about the invoice. */
  raises: readonly { name: AlarmName; detail: string }[];
  clears: readonly AlarmName[];
}
