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
    callbacks: planCallbacks(terms, nextVariant, new Date()),
    hidden: paymentReadableAfterMs > 0 ? { ms: paymentReadableAfterMs, as: paymentHiddenAs } : null,
  });
  if (paid) {
    context.wakeDeliveries();
    return "paid";
  }
  return (await readInvoice(context.db, invoiceId)) === undefined ? "unknown" : "not_payable";
}

/** The callbacks of a payment made at `now`: one, unless the terms say otherwise. */
function planCallbacks(
  terms: CallbackFaults,
  nextVariant: () => CallbackVariant,
  now: Date,
): PlannedCallback[] {
  const notificationId = randomUUID();
  return Array.from({ length: terms.copies }, (_, copy) => ({
    copy,
    webhookId: randomUUID(),
    notificationId,
    variant: nextVariant(),
    delayMs: terms.delayMs + copy * terms.copyGapMs + reorderDelayMs(terms, now.getTime()),
    state: terms.never ? "withheld" : "due",
  }));
}

/** Mirrors the moment at the end of its span: of two payments in one, the later one's callback leaves first. */
export function reorderDelayMs({ reorderWithinMs }: Pick<CallbackFaults, "reorderWithinMs">, nowMs: number) {
  if (reorderWithinMs === 0) return 0;
  const untilEnd = reorderWithinMs - (nowMs % reorderWithinMs);
  return 2 * untilEnd;
}
