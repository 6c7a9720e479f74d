import { hash } from "node:crypto";
import { withoutCallbackTokens } from "../kit/mask.ts";
import { storableText } from "../kit/text.ts";
import { type Answer, statusText, toUtc } from "../provider/answer.ts";
import type { Claimed } from "./claim.ts";
import { type ConfirmedInvoice, emailHash, erasedDocument } from "./invoices/payment.ts";

/**
 * The row of a confirmed invoice, and how its age compares with what is known (G6).
 * @param paidFirst it is Paid and the known answer is not: it counts as the newest whatever its date says.
 * @returns `isOld`: by its date it is older than what is known.
 */
export function confirmedInvoice(
  confirmation: Claimed,
  { invoice, document, receivedAt }: Extract<Answer, { kind: "found" }>,
  timeZone: string,
  { paidFirst }: { paidFirst: boolean },
): { row: ConfirmedInvoice; isOld: boolean } {
  // The invoice's own callBackUrl holds a token of ours.
  const masked = withoutCallbackTokens(JSON.stringify(document).toWellFormed());
  const digest = hash("sha256", masked, "base64url");
  const modifiedAt = toUtc(invoice.dateModified, timeZone);
  const knownAt = confirmation.known?.modifiedAt ?? null;
  const isOld = knownAt !== null && modifiedAt !== null && modifiedAt < knownAt;
  const row = {
    createdAt: toUtc(invoice.dateCreated, timeZone),
    modifiedAt,
    paidAt: toUtc(invoice.paymentDate, timeZone),
    amount: invoice.amount,
    serviceCharge: invoice.serviceCharge,
    vat: invoice.vat,
    totalAmount: invoice.totalAmount,
    settleableAmount: invoice.settleableAmount,
    status: statusText(invoice.status),
    type: storable(invoice.type),
    collectionName: storable(invoice.collectionName),
    title: confirmation.erased ? null : storable(invoice.title),
    reference: confirmation.erased ? null : referenceIn(invoice.callBackUrl),
    paymentMethod: storable(invoice.paymentMethod),
    serviceFeePayer: storable(invoice.serviceFeePayer),
    payerEmailHash: confirmation.erased ? null : emailHash(invoice.payerEmail),
    document: confirmation.erased ? erasedDocument(confirmation.invoiceId) : masked,
    erased: confirmation.erased,
    digest,
    askedAt: confirmation.askedAt,
    confirmedAt: receivedAt,
    differs: confirmation.known?.digest !== digest,
    newest: paidFirst || !isOld,
  };
  return { row, isOld };
}

/**
 * The merchant's own reference: what follows the token in the confirmed invoice's callback URL; null when
 * nothing does.
 */
export function referenceIn(callBackUrl: string | null): string | null {
  const [, raw] = /\/callbacks\/[^/?#]+\/([^?#]+)/.exec(callBackUrl ?? "") ?? [];
  if (raw === undefined) return null;
  try {
    return storableText(decodeURIComponent(raw));
  } catch {
    return storableText(raw);
  }
}

const storable = (text: string | null): string | null => (text === null ? null : storableText(text));
