import type { InvoiceEvidence, InvoicesFound, ListedInvoice } from "../list/results.ts";
import {
  eachOf,
  id,
  listOf,
  money,
  type Rows,
  raw,
  source,
  state,
  text,
  time,
  type View,
  words,
} from "./view.ts";

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
  why: "A payment without a callback is found by reconciling its day.",
};

const OTHERS: Rows<InvoicesFound["others"][number]> = {
  one: "other",
  id: id("Id", "id", { of: ({ what }) => what }),
  columns: [state("What", "what"), time("At", "at")],
};

const WAITING: Rows<InvoicesFound["waiting"][number]> = {
  one: "source",
  columns: [source(), words("Backlog", "sentence", { isLong: true })],
};

/** Beside the payments that a search found. */
export const BESIDE: View<InvoicesFound> = {
  says: ({ items, searched }) =>
    items.length > 0 || searched.length === 0 ? "" : `Searched: ${searched.join("; ")}.`,
  lists: [
    listOf("others", OTHERS, "With such an id"),
    listOf("waiting", WAITING, "Not answered yet: found by id, reference and the verdict pending alone"),
  ],
};

export const INVOICES_FOUND: View<InvoicesFound> = {
  ...BESIDE,
  lists: [listOf("items", INVOICES), ...(BESIDE.lists ?? [])],
};

const PUBLICATIONS: Rows<InvoiceEvidence["events"][number]["publications"][number]> = {
  one: "publication",
  id: id("MessageId", "messageId"),
  columns: [
    time("Published", "publishedAt"),
    text("Topic", "topicArn"),
    id("Replay", "replayId", { of: "replay" }),
  ],
};

const EVENT: View<InvoiceEvidence["events"][number]> = {
  facts: [
    id("Event", "id"),
    text("Type", "type"),
    state("State", "state"),
    source(),
    time("Erased", "erasedAt"),
    raw("Event as sent", "payload"),
  ],
  lists: [listOf("publications", PUBLICATIONS, "Accepted by SNS")],
};

const ANSWER: View<InvoiceEvidence["answers"][number]> = {
  facts: [time("Asked", "askedAt"), raw("Provider's answer", "document")],
};

export const EVIDENCE: View<InvoiceEvidence> = { each: eachOf("events", EVENT) };
/** The newest answer. */
export const ANSWERED: View<InvoiceEvidence> = { each: eachOf(({ answers }) => answers.slice(0, 1), ANSWER) };
