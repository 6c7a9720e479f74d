import { hash } from "node:crypto";
import { DAY_MS, isUuid, NIL_UUID, storableText } from "../../../platform/values/index.ts";
import { type ListedInvoice, type Money, toUtc } from "../../../provider/index.ts";
import { classOfStatus, type StatusSets } from "../../confirm/index.ts";

/** The filter of a list's request. */
export interface ListFilter {
  /** A status from PAID_STATUSES; null for all invoices. */
  status: string | null;
}

/** An invoice of the provider's list that may be paid: Get Invoice decides. */
export interface ListedPayment {
  /** Lower case, with dashes. */
  invoiceId: string;
  /** Where the list dates it, which is only where to look; null when it has no date, or an unreadable one. */
  paidAt: Date | null;
  /** The end of that date, where the list names only a day of the provider's zone. */
  paidUntil: Date | null;
  createdAt: Date | null;
  amount: Money | null;
  /** The list's status of it; null without one. */
  label: string | null;
  /** The list says that it is paid: by the label, or without one by its filter. */
  saysPaid: boolean;
  /** A digest of what the list says of it, so that a change is noticed. */
  digest: string;
  /** A status that means paid was requested. */
  isFiltered: boolean;
}

const DAY_ONLY = /^[\d-]+$/;

const endOfDay = (start: Date): Date => new Date(start.getTime() + DAY_MS - 1);

/** How some platforms write "no date". */
const NO_DATE = /^(0001-01-01|0000-00-00)/;

/**
 * Whether an item of a list may be paid. The exceptions are items that the list calls unpaid or invalid, does
 * not date as paid, and did not return for a request of paid invoices: a list decides nothing (G10).
 * @param filter the requested status; null for the list of all.
 */
export function mayBePaid(
  { status, datePaid }: Pick<ListedInvoice, "status" | "datePaid">,
  filter: string | null,
  sets: StatusSets,
): boolean {
  if (filter !== null && classOfStatus(filter, sets) === "paid") return true;
  if (datePaid !== null && !NO_DATE.test(datePaid.trim())) return true;
  const said = status?.trim() || filter;
  return said === null || !["unpaid", "invalid"].includes(classOfStatus(said, sets));
}

/** @returns null when its id is not usable. */
export function listedPayment(
  { id, datePaid, dateCreated, amount, status }: ListedInvoice,
  { status: filter }: ListFilter,
  { timeZone, ...sets }: StatusSets & { timeZone: string },
): ListedPayment | null {
  if (!isUuid(id) || id === NIL_UUID) return null;
  const said = status?.trim() || filter;
  const paidAt = toUtc(datePaid, timeZone);
  return {
    invoiceId: id.toLowerCase(),
    paidAt,
    paidUntil: paidAt === null || !DAY_ONLY.test(datePaid?.trim() ?? "") ? null : endOfDay(paidAt),
    createdAt: toUtc(dateCreated, timeZone),
    amount,
    label: status?.trim() ? storableText(status.trim()) : null,
    saysPaid: said !== null && classOfStatus(said, sets) === "paid",
    digest: hash("sha256", JSON.stringify([status, datePaid, amount]), "base64url"),
    isFiltered: filter !== null,
  };
}

/** The relay's own knowledge of an invoice, beside the list's. */
interface Known {
  /** The newest confirmed answer says that it is paid. */
  isPaid: boolean;
  /** Of the listed item for which it was last asked about; null without one. */
  digest: string | null;
}

/**
 * The action for a listed item that may be paid: ask about it; or nothing, because the confirmed answer and
 * the list agree, or because it was asked about since the list last changed its text. Pure.
 */
export function decideAsking(
  { saysPaid, digest }: { saysPaid: boolean; digest: string | null },
  known: Known,
): "ask" | "confirmed" | "unchanged" {
  if (known.isPaid && saysPaid) return "confirmed";
  if (digest === null || digest !== known.digest) return "ask";
  return known.isPaid ? "confirmed" : "unchanged";
}
