import type { InvoicesFound, ListedInvoice } from "../operations/invoices.ts";
import { id, listOf, money, type Rows, source, state, text, time, type View, words } from "./view.ts";

export const INVOICES: Rows<ListedInvoice> = {
  one: "payment",
  id: id("Invoice", "invoiceId", { of: "invoice" }),
  columns: [
    text("Reference", "reference", { phone: "lead" }),
    money("Total", "totalAmount", { phone: "side" }),
    text("Status", "status", { phone: "away" }),
    state("Verdict", "verdict"),
    state("Event", "event"),
    time("Paid", "paidAt"),
    text("Collection", "collection", { phone: "away" }),
    source(),
  ],
  none: "No payment has been confirmed yet.",
  why: "What the provider lists and nobody called about is found by reconciling its day.",
};

const OTHERS: Rows<InvoicesFound["others"][number]> = {
  one: "other",
  id: id("Id", "id", { of: ({ what }) => what }),
  columns: [state("What", "what"), time("At", "at")],
};

const WAITING: Rows<InvoicesFound["waiting"][number]> = {
  one: "source",
  columns: [source(), words("What waits", "sentence", { isLong: true })],
};

export const INVOICES_FOUND: View<InvoicesFound> = {
  says: ({ items, searched }) =>
    items.length > 0 || searched.length === 0 ? "" : `Searched: ${searched.join("; ")}.`,
  lists: [
    listOf("items", INVOICES),
    listOf("others", OTHERS, "With such an id"),
    listOf("waiting", WAITING, "Not answered yet: found by id, reference and the verdict pending alone"),
  ],
};
