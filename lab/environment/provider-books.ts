/** An invoice as the provider keeps it. */
export interface KeptInvoice {
  id: string;
  collectionId: string;
  /** The sources whose keys may see it. */
  sources: string[];
  type: "Live" | "Test";
  status: string;
  amount: number;
  createdAt: string;
  modifiedAt: string;
  paidAt: string | null;
}

/** As Get Invoice returns it; written by hand from the interface, part A. */
export function shownInvoice(kept: KeptInvoice, collectionName: string): Record<string, unknown> {
  const paid = kept.paidAt !== null;
  return {
    id: kept.id,
    title: `Fees of ${kept.id.slice(0, 8)}`,
    collectionName,
    payerName: "Ada Obi",
    payerEmail: `ada.${kept.id.slice(0, 8)}@example.com`,
    payerPhoneNumber: "+2348012345678",
    billerName: "Hill School",
    billerAddress: "1 Hill Road",
    billerEmail: "bursar@example.com",
    amount: kept.amount,
    serviceCharge: 10,
    vat: 0.75,
    totalAmount: Math.round((kept.amount + 10.75) * 100) / 100,
    settleableAmount: kept.amount,
    status: kept.status,
    serviceFeePayer: "Payer",
    settlementFrequency: "Instant",
    type: kept.type,
    paymentUrl: `https://pay.example.com/${kept.id}`,
    dateCreated: kept.createdAt,
    dateModified: kept.modifiedAt,
    billerMetaData: { class: "4b" },
    paymentDate: kept.paidAt,
    paymentMethod: paid ? "Card" : null,
    invoiceBeneficiaries: null,
    callBackUrl: "https://relay.example.com/callbacks/0123456789012345678901",
  };
}

/** One page of Get Collection Invoices; the dates of the filter select by creation. */
export function shownPage(invoices: readonly KeptInvoice[], filter: URLSearchParams): unknown {
  // Parameters and statuses are compared without case, as lenient providers do.
  const asked = new Map([...filter].map(([name, value]) => [name.toLowerCase(), value]));
  const page = Number(asked.get("page") ?? 1);
  const pageSize = Number(asked.get("pagesize") ?? 20);
  const day = (time: string) => time.slice(0, 10);
  const fitting = invoices.filter(
    ({ status, type, createdAt }) =>
      status.toLowerCase() === (asked.get("invoicestatus") ?? status).toLowerCase() &&
      type.toLowerCase() === (asked.get("invoicetype") ?? type).toLowerCase() &&
      day(createdAt) >= (asked.get("startdate") ?? "") &&
      day(createdAt) <= (asked.get("enddate") ?? "9999"),
  );
  const from = (page - 1) * pageSize;
  return {
    items: fitting.slice(from, from + pageSize).map((kept) => ({
      id: kept.id,
      title: `Fees of ${kept.id.slice(0, 8)}`,
      amount: kept.amount,
      status: kept.status,
      payerName: "Ada Obi",
      payerEmail: `ada.${kept.id.slice(0, 8)}@example.com`,
      dateCreated: kept.createdAt,
      datePaid: kept.paidAt,
    })),
    page,
    pageSize,
    totalCount: fitting.length,
    hasNextPage: from + pageSize < fitting.length,
    hasPreviousPage: page > 1,
  };
}
