import { randomUUID } from "node:crypto";
import { shownInvoice } from "../environment/provider-books.ts";
import type { Happening } from "../history/history.ts";
import { identityOf } from "./check-events.ts";
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
  const time = "2026-01-01T00:00:00.000Z";
  const times = { createdAt: time, modifiedAt: time, paidAt: time };
  const kept = {
    id: INVOICE,
    collectionId: "c",
    sources: ["alpha"],
    type: "Live",
    status: "Paid",
    amount: 10,
  } as const;
  const invoice = shownInvoice({ ...kept, sources: ["alpha"], ...times }, "Term 1");
  const { id: invoiceId, title, collectionName, type, paymentMethod } = invoice;
  const money = {
    amount: "10.00",
    serviceCharge: "10.00",
    vat: "0.75",
    totalAmount: "20.75",
    settleableAmount: "10.00",
  };
  const data = { invoiceId, title, collectionName, type, paymentMethod, ...money, paidAt: time, payer: null };
  const id = identityOf(INVOICE);
  const message = JSON.stringify({ id, source: "urn:invoice-relay:alpha", type: "invoice.paid", data });
  const [at, source] = [(seconds: number) => 1_000_000 + seconds * 1_000, "alpha"];
  const told = { id: "hook-1", source, method: "POST", query: "", body: "digest" };
  const paid = { invoiceId: INVOICE, status: "Paid", type: "Live", sources: [source] };
  const sources = { alpha: { topicArn: TOPIC, testTopicArn: null } };
  const alarm = { name: "source_failing", source, subject: source };
  const event = {
    source,
    id,
    type: "invoice.paid",
    invoice_id: INVOICE,
    payload: message,
    created_at: at(2),
    erased: false,
  };
  return {
    history: [
      { what: "begun", at: at(0), seed: 1, leaseMs: 2_000, sources },
      { what: "became", at: at(0), ...paid },
      { what: "sent", at: at(1), to: "relay-1", invoiceIds: [INVOICE], ...told },
      { what: "answered", at: at(1.1), id: "hook-1", status: 200, retryAfter: null },
      { what: "asked", at: at(1.2), ask: "1", source, invoiceId: INVOICE },
      { what: "said", at: at(1.3), ask: "1", status: 200, invoice, retryAfterS: null, end: "whole" },
      { what: "accepted", at: at(2.1), topicArn: TOPIC, messageId: "m-1", message, replay: null },
      { what: "alarm", at: at(3), process: "relay-1", ...alarm, raised: true },
      { what: "told", at: at(4), ...alarm, raisedAt: new Date(at(3)).toISOString(), clearedAt: null },
      {
        what: "told",
        at: at(6),
        ...alarm,
        raisedAt: new Date(at(3)).toISOString(),
        clearedAt: new Date(at(5)).toISOString(),
      },
      { what: "process", at: at(100), name: "relay-1", pid: 1, state: "started" },
    ],
    books: {
      callbacks: [{ ...told, id: randomUUID(), sent_as: "hook-1", invoice_ids: [INVOICE] }],
      confirmations: [
        { source, invoice_id: INVOICE, state: "done", verdict: "paid", due_at: at(1), claimed_until: null },
      ],
      answers: [
        {
          source,
          invoice_id: INVOICE,
          newest: true,
          asked_at: at(1.2),
          document: { ...invoice },
        },
      ],
      events: [event],
      outbox: [],
      publications: [
        { source, event_id: id, topic_arn: TOPIC, message_id: "m-1", published_at: at(2.2), replay_id: null },
      ],
      alarms: [{ ...alarm, raised_at: at(3), cleared_at: at(5) }],
      sources: [{ name: source, paused_by: null }],
      topics: [{ arn: TOPIC, paused_by: null }],
      read_at: at(100),
    },
  };
}

/** The run's first line of this kind. */
export function line<What extends Happening["what"]>(
  { history }: Run,
  kind: What,
): Extract<Happening, { what: What }> {
  const found = history.find((one) => one.what === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  return found as Extract<Happening, { what: What }>;
}

/** Removes the last line of this kind from the history. */
export function drop({ history }: Run, kind: Happening["what"]): void {
  history.splice(
    history.findLastIndex((one) => one.what === kind),
    1,
  );
}

export const first = <Item>(items: Item[]): Item => {
  const [item] = items;
  if (item === undefined) throw new Error("There is none.");
  return item;
};

export function set<Target extends object>(target: Target, changes: Partial<Target>): void {
  Object.assign(target, changes);
}

/** Replaces a text in everything that was published. */
export function swap(run: Run, from: string, to: string): void {
  const accepted = line(run, "accepted");
  accepted.message = accepted.message.replaceAll(from, to);
}
