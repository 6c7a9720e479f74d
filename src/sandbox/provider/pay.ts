import { planCallbacks } from "./callbacks/plan-callbacks.ts";
import { payInvoice, readInvoice } from "./invoice-statements.ts";
import type { ServiceContext } from "./service-context.ts";
import type { PaymentMethod } from "./service-tables.ts";

/** Takes a payment: the invoice is paid and its callbacks are queued, or nothing happened. */
export async function pay(
  context: ServiceContext,
  invoiceId: string,
  method: PaymentMethod,
): Promise<"paid" | "unknown" | "not_payable"> {
  const { paymentReadableAfterMs, paymentHiddenAs } = context.faults.current.callback;
  const paid = await payInvoice(context.db, {
    invoiceId,
    method,
    callbacks: planCallbacks(context.faults, new Date()),
    hidden: paymentReadableAfterMs > 0 ? { ms: paymentReadableAfterMs, as: paymentHiddenAs } : null,
  });
  if (paid) {
    context.wakeDeliveries();
    return "paid";
  }
  return (await readInvoice(context.db, invoiceId)) === undefined ? "unknown" : "not_payable";
}
