import { randomUUID } from "node:crypto";
import { Agent } from "undici";
import { invoiceOnWire } from "../invoice-on-wire.ts";
import type { InvoiceRow } from "../service-tables.ts";
import { callbackRequest } from "./callback-request.ts";
import { type CallbackAnswer, sendCallback } from "./send-callback.ts";

const TIMEOUT_MS = 30_000;

/**
 * Sends once what somebody might who knows the address and the id: a callback that says the invoice was paid,
 * in the documented form. Nothing is paid, and nothing is written.
 */
export async function forgeCallback(
  invoice: InvoiceRow,
  url: string,
  publicUrl: string,
): Promise<CallbackAnswer> {
  const now = new Date();
  const dispatcher = new Agent();
  const callback = callbackRequest({
    variant: "documented",
    url,
    webhookId: randomUUID(),
    notificationId: randomUUID(),
    collectionId: invoice.collection_id,
    queuedAt: now,
    invoice: {
      ...invoiceOnWire(invoice, publicUrl),
      status: "Paid",
      paymentDate: now.toISOString(),
      paymentMethod: "Card",
    },
  });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await sendCallback(callback, { dispatcher, timeoutMs: TIMEOUT_MS, signal });
  } finally {
    await dispatcher.close();
  }
}
