export type InvoiceType = "Live" | "Test";

/** Case aside; null for anything else, which leaves open the topic that it belongs to. */
export function invoiceTypeOf(type: string | null): InvoiceType | null {
  const plain = type?.trim().toLowerCase();
  return plain === "live" ? "Live" : plain === "test" ? "Test" : null;
}

export const hasType = (invoice: { type: string | null } | null): boolean =>
  invoiceTypeOf(invoice?.type ?? null) !== null;
