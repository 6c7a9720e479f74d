import { planCallbacks, variantsInTurn } from "./callbacks/plan-callbacks.ts";
import { type CallbackFaultsInput, callbackFaults } from "./faults/callback-faults.ts";
import { layered } from "./faults/layered.ts";
import { payInvoice, readInvoice } from "./invoice-statements.ts";
import type { ServiceContext } from "./service-context.ts";
import type { PaymentMethod } from "./service-tables.ts";

/**
 * Takes a payment: the invoice is paid and its callbacks are queued, or nothing happened.
 * @param own what goes wrong with this payment's callbacks, on top of the faults in force.
 */
export async function pay(
  context: ServiceContext,
  invoiceId: string,
  method: PaymentMethod,
  own: CallbackFaultsInput = {},
): Promise<"paid" | "unknown" | "not_payable"> {
  const terms = callbackFaults.parse(layered(context.faults.current.callback, own));
  const nextVariant =
    own.variants === undefined ? () => context.faults.nextVariant() : variantsInTurn(own.variants);
  const { paymentReadableAfterMs, paymentHiddenAs } = terms;
  const paid = await payInvoice(context.db, {
    invoiceId,
    method,
    callbacks: planCallbacks(terms, nextVariant, new Date()),
    hidden: paymentReadableAfterMs > 0 ? { ms: paymentReadableAfterMs, as: paymentHiddenAs } : null,
  });
  if (paid) {
    context.wakeDeliveries();
    return "paid";
  }
  return (await readInvoice(context.db, invoiceId)) === undefined ? "unknown" : "not_payable";
}
