import type { AlarmName } from "../../alarms/alarms.ts";
import type { NewEvent } from "../../publish/event.ts";
import type { ConfirmedInvoice } from "../invoices/payment.ts";
import type { ConfirmationOutcome } from "../queue/write-outcomes.ts";

/** What follows from one answer: all that is written for it, in one transaction. */
export interface Outcome extends ConfirmationOutcome {
  invoice: ConfirmedInvoice | null;
  event: NewEvent | null;
  /** Alarms about the invoice. */
  raises: readonly { name: AlarmName; detail: string }[];
  clears: readonly AlarmName[];
}
