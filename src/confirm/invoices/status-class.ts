export type StatusClass = "paid" | "invalid" | "unpaid" | "unknown";

/** In lower case. */
export interface StatusSets {
  paidStatuses: ReadonlySet<string>;
  invalidStatuses: ReadonlySet<string>;
}

/**
 * A status or a type in the form in which they are compared. Of letters beyond ASCII the case stays: for those
 * Postgres' answer depends on the database's locale.
 */
export const plainStatus = (status: string): string =>
  status.trim().replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

export const plainStatuses = (statuses: readonly string[]): string[] => statuses.map(plainStatus);

/** From PAID_STATUSES and INVALID_STATUSES as they are set. */
export const statusSets = (set: {
  paidStatuses: readonly string[];
  invalidStatuses: readonly string[];
}): StatusSets => ({
  paidStatuses: new Set(plainStatuses(set.paidStatuses)),
  invalidStatuses: new Set(plainStatuses(set.invalidStatuses)),
});

/** The end of each sentence about a status that nobody knows. */
export const NEITHER_STATUS = "neither in PAID_STATUSES nor in INVALID_STATUSES";

/** Statuses are compared without case (interface, part B; names of further states are not specified). */
export function classOfStatus(status: string, { paidStatuses, invalidStatuses }: StatusSets): StatusClass {
  const plain = plainStatus(status);
  if (paidStatuses.has(plain)) return "paid";
  if (invalidStatuses.has(plain)) return "invalid";
  return plain === "unpaid" ? "unpaid" : "unknown";
}

export type InvoiceType = "Live" | "Test";

/** Case aside; null for anything else, which leaves open the topic that it belongs to. */
export function invoiceTypeOf(type: string | null): InvoiceType | null {
  const plain = plainStatus(type ?? "");
  return plain === "live" ? "Live" : plain === "test" ? "Test" : null;
}

export const hasType = (invoice: { type: string | null } | null): boolean =>
  invoiceTypeOf(invoice?.type ?? null) !== null;
