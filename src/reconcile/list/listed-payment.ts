import { type ListedInvoice, type Money, toUtc } from "../../provider/answer.ts";

/** What a list was asked for; null for a list without `invoiceType`. */
export type AskedType = "Live" | "Test" | null;

/** An invoice that the provider's list shows as paid. */
export interface ListedPayment {
  /** Lower case, with dashes. */
  invoiceId: string;
  /** null when the list does not say, or not readably. */
  paidAt: Date | null;
  createdAt: Date | null;
  amount: Money | null;
  /** null when the list does not say: in a list of paid invoices it counts as paid. */
  status: string | null;
  asked: AskedType;
}

/**
 * Finds every payment, Live and Test: a list without `invoiceType` holds at least the Live ones, whether or
 * not it hides the Test ones (not specified).
 */
export const ALL_TYPES: readonly AskedType[] = [null, "Test"];

/** The list's items do not say their type, so it is told by which request finds them. */
export const EACH_TYPE: readonly AskedType[] = [null, "Live", "Test"];

/** As statuses are compared. */
export const plain = (status: string): string => status.trim().toLowerCase();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @returns null when its id is none. */
export function listedPayment(
  { id, datePaid, dateCreated, amount, status }: ListedInvoice,
  asked: AskedType,
  timeZone: string,
): ListedPayment | null {
  if (!UUID.test(id)) return null;
  return {
    invoiceId: id,
    paidAt: toUtc(datePaid, timeZone),
    createdAt: toUtc(dateCreated, timeZone),
    amount,
    status: status?.trim() || null,
    asked,
  };
}
