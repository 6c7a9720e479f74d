import { randomUUID } from "node:crypto";
import type { CallbackVariant } from "./callbacks/callback-request.ts";
import { layered, variantsInTurn } from "./faults/fault-box.ts";
import { type CallbackFaults, type CallbackFaultsInput, callbackFaults } from "./faults/faults.ts";
import { type PlannedCallback, payInvoice, readInvoice } from "./invoice-statements.ts";
import type { ServiceContext } from "./service-context.ts";
import type { PaymentMethod } from "./service-tables.ts";

/** It is paid and its callbacks are queued, or nothing happened. @param own faults of its callbacks alone. */
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
    callbacks: planCallbacks(terms, nextVariant),
    hidden: paymentReadableAfterMs > 0 ? { ms: paymentReadableAfterMs, as: paymentHiddenAs } : null,
  });
  if (paid) {
    context.wakeDeliveries();
    return "paid";
  }
  return (await readInvoice(context.db, invoiceId)) === undefined ? "unknown" : "not_payable";
}

/** One callback, unless the terms say otherwise. */
function planCallbacks(terms: CallbackFaults, nextVariant: () => CallbackVariant): PlannedCallback[] {
  const notificationId = randomUUID();
  return Array.from({ length: terms.copies }, (_, copy) => ({
    copy,
    webhookId: randomUUID(),
    notificationId,
    variant: nextVariant(),
    delayMs: terms.delayMs,
    state: terms.never ? "withheld" : "due",
  }));
}
