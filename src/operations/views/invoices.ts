import type { InvoiceEvidence, ListedInvoice } from "../list/results.ts";
import { eachOf, id, listOf, money, type Rows, raw, source, state, text, time, type View } from "./view.ts";

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
