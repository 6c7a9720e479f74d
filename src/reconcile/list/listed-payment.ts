import { isUuid, NIL_UUID } from "../../kit/uuid.ts";
import { type ListedInvoice, type Money, toUtc } from "../../provider/answer.ts";

/** The requested `invoiceType`; null for a list without it. */
export type AskedType = "Live" | "Test" | null;

/** An invoice that the provider's list shows as paid. */
export interface ListedPayment {
  /** Lower case, with dashes. */
  invoiceId: string;
  /** null when the list has none, or an unreadable one. */
  paidAt: Date | null;
  createdAt: Date | null;
  amount: Money | null;
  /** null when the list has none: in a list of paid invoices it counts as paid. */
  status: string | null;
  asked: AskedType;
}

/**
 * Together these find every payment, Live and Test: a list without `invoiceType` contains at least the Live
 * ones; whether it hides Test ones is not specified.
 */
export const ALL_TYPES: readonly AskedType[] = [null, "Test"];

/** List items have no type, so it is known from the request that found them. */
export const EACH_TYPE: readonly AskedType[] = [null, "Live", "Test"];

/** In the form in which statuses are compared. */
export const plain = (status: string): string => status.trim().toLowerCase();

/** @returns null when its id is not usable. */
export function listedPayment(
  { id, datePaid, dateCreated, amount, status }: ListedInvoice,
  asked: AskedType,
  timeZone: string,
): ListedPayment | null {
  if (!isUuid(id) || id === NIL_UUID) return null;
  return {
    invoiceId: id.toLowerCase(),
    paidAt: toUtc(datePaid, timeZone),
    createdAt: toUtc(dateCreated, timeZone),
    amount,
    status: status?.trim() || null,
    asked,
  };
}
