import { randomUUID } from "node:crypto";
import { shownInvoice } from "../environment/provider.ts";
import { identityOf } from "./check-events.ts";
import type { Happening } from "./history.ts";
import type { Books } from "./read-books.ts";

export const INVOICE = "0f3a0000-0000-4000-8000-000000000001";
export const TOPIC = "arn:alpha";

export interface Run {
  history: Happening[];
  books: Books;
}

/**
 * One invoice that was paid, called back, asked about, published and marked, without any fault. Times are in
 * seconds.
 */
export function goodRun(): Run {
  const [at, source] = [(seconds: number) => 1_000_000 + seconds * 1_000, "alpha"];
  const isoAt = (seconds: number) => new Date(at(seconds)).toISOString();
  const time = "2026-01-01T00:00:00.000Z";
  const invoice = shownInvoice({
    ...{ id: INVOICE, collectionId: "c", sources: [source], type: "Live", status: "Paid", amount: 10 },
    ...{ createdAt: time, modifiedAt: time, paidAt: time },
  });
  const { id: invoiceId, title, collectionName, type, paymentMethod } = invoice;
  const money = { amount: "10.00", serviceCharge: "10.00", vat: "0.75", totalAmount: "20.75" };
  const texts = {
    invoiceId,
    title,
    collectionName,
    type,
    paymentMethod,
    ...money,
    settleableAmount: "10.00",
  };
  const data = { ...texts, paidAt: time, payer: null };
  const id = identityOf(INVOICE);
  const message = JSON.stringify({ id, source: "urn:invoice-relay:alpha", type: "invoice.paid", data });
  const sent = { id: "hook-1", source, method: "POST", query: "", body: "digest" };
  const paid = { invoiceId: INVOICE, status: "Paid", type: "Live", sources: [source] };
  const sources = { alpha: { topicArn: TOPIC, testTopicArn: null } };
  const alarm = { name: "source_failing", source, subject: source };
  const told = { ...alarm, raisedAt: isoAt(3) };
  const row = { source, invoice_id: INVOICE };
  return {
    history: [
      { what: "begun", at: at(0), seed: 1, leaseMs: 2_000, sources },
      { what: "became", at: at(0), ...paid },
      { what: "sent", at: at(1), to: "relay-1", invoiceIds: [INVOICE], ...sent },
      { what: "answered", at: at(1.1), id: "hook-1", status: 200, retryAfter: null },
      { what: "asked", at: at(1.2), ask: "1", source, invoiceId: INVOICE },
      { what: "said", at: at(1.3), ask: "1", status: 200, invoice, retryAfterS: null, end: "whole" },
      { what: "accepted", at: at(2.1), topicArn: TOPIC, messageId: "m-1", message, replay: null },
      { what: "alarm", at: at(3), process: "relay-1", ...alarm, raised: true },
      { what: "told", at: at(4), ...told, clearedAt: null },
      { what: "told", at: at(6), ...told, clearedAt: isoAt(5) },
      { what: "process", at: at(100), name: "relay-1", pid: 1, state: "started" },
    ],
    books: {
      callbacks: [{ ...sent, id: randomUUID(), sent_as: "hook-1", invoice_ids: [INVOICE] }],
      confirmations: [{ ...row, state: "done", verdict: "paid", due_at: at(1), claimed_until: null }],
      answers: [{ ...row, newest: true, asked_at: at(1.2), document: { ...invoice } }],
      events: [{ ...row, id, type: "invoice.paid", payload: message, erased: false }],
      outbox: [],
      publications: [{ source, event_id: id, topic_arn: TOPIC, message_id: "m-1", replay_id: null }],
      alarms: [{ ...alarm, raised_at: at(3), cleared_at: at(5) }],
      sources: [{ name: source, paused_by: null }],
      topics: [{ arn: TOPIC, paused_by: null }],
      read_at: at(100),
    },
  };
}

/** The run's first line of this kind. */
export function line<What extends Happening["what"]>({ history }: Run, kind: What) {
  const found = history.find((one) => one.what === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  return found as Extract<Happening, { what: What }>;
}
