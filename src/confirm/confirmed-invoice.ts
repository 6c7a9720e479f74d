import { hash } from "node:crypto";
import { type Invoice, toUtc } from "../collection-api/contract/index.ts";
import { erasedDocument } from "../database/erased-document.ts";
import { withoutCallbackTokens } from "../kit/mask/callback-tokens.ts";
import { storableText } from "../kit/storable-text.ts";
import type { ConfirmedInvoice } from "../store/settlement.ts";
import type { ClaimedQuestion } from "./question.ts";

/** The row of a confirmed invoice, and whether it is news (G6). */
export function confirmedInvoice(
  question: ClaimedQuestion,
  invoice: Invoice,
  document: unknown,
  receivedAt: Date,
  timeZone: string,
): ConfirmedInvoice {
  // The invoice's own callBackUrl holds a token of ours.
  const masked = withoutCallbackTokens(JSON.stringify(document).toWellFormed());
  const digest = hash("sha256", masked, "base64url");
  const modifiedAt = toUtc(invoice.dateModified, timeZone);
  const { known } = question;
  return {
    createdAt: toUtc(invoice.dateCreated, timeZone),
    modifiedAt,
    paidAt: toUtc(invoice.paymentDate, timeZone),
    amount: invoice.amount,
    serviceCharge: invoice.serviceCharge,
    vat: invoice.vat,
    totalAmount: invoice.totalAmount,
    settleableAmount: invoice.settleableAmount,
    status: storableText(invoice.status),
    type: storable(invoice.type),
    collectionName: storable(invoice.collectionName),
    title: storable(invoice.title),
    reference: referenceIn(invoice.callBackUrl),
    paymentMethod: storable(invoice.paymentMethod),
    serviceFeePayer: storable(invoice.serviceFeePayer),
    document: question.erased ? erasedDocument(question.invoiceId) : masked,
    erased: question.erased,
    digest,
    askedAt: question.askedAt,
    confirmedAt: receivedAt,
    differs: known?.digest !== digest,
    newest:
      known === null || known.modifiedAt === null || modifiedAt === null || modifiedAt >= known.modifiedAt,
  };
}

/** The merchant's own reference: what follows the token in the confirmed invoice's callback URL; null when nothing does. */
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
