import { randomUUID } from "node:crypto";

/** A payment as the provider answered it, and what the relay did with it. */
export interface GivenPayment extends Partial<Record<Text, string>> {
  amount: string;
  collection?: string | null;
  reference?: string | null;
  /** null: the provider does not say. */
  paidAt: string | null;
}

type Money = "serviceCharge" | "vat" | "total" | "settleable";
type Time = "createdAt" | "calledBackAt" | "publishedAt" | "releasedAt";
type Text = Money | Time | "id" | "source" | "payer" | "method" | "type" | "status" | "verdict";

type Query = (text: string, values: unknown[]) => Promise<unknown>;

/** @returns their ids, in the order given. */
export async function addPayments(query: Query, given: readonly GivenPayment[]): Promise<string[]> {
  const rows = given.map((one) => ({
    ...{ id: randomUUID(), callbackId: randomUUID(), source: "default" },
    ...{ collection: "Shop", reference: null, method: "Card", serviceCharge: "0", vat: "0" },
    ...{ total: one.amount, settleable: one.amount, type: "Live", status: "Paid", verdict: "paid" },
    createdAt: one.paidAt,
    ...one,
    payload: JSON.stringify({ type: "invoice.paid", data: { payer: { name: one.payer ?? "Ada Obi" } } }),
    document: JSON.stringify({ payerName: one.payer ?? "Ada Obi" }),
  }));
  const json = JSON.stringify(rows);
  const from = `from json_to_recordset($1::json) as given (id uuid, "callbackId" uuid,
    source text, collection text, reference text, method text, amount numeric, "serviceCharge" numeric,
    vat numeric, total numeric, settleable numeric, type text, status text, verdict text, document text, payload text,
    "paidAt" timestamptz, "createdAt" timestamptz, "calledBackAt" timestamptz, "publishedAt" timestamptz,
    "releasedAt" timestamptz)`;
  for (const statement of [
    `insert into invoice (id, source, status, type, collection_name, reference, payment_method, amount,
       service_charge, vat, total_amount, settleable_amount, paid_at, created_at, asked_at, confirmed_at,
       document, digest)
     select id, source, status, type, collection, reference, method, amount, "serviceCharge", vat, total,
       settleable, "paidAt", "createdAt", "createdAt", coalesce("publishedAt", "createdAt"),
       document::json, 'digest' ${from}`,
    `insert into confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, verdict,
       released_at)
     select id, source, "createdAt", "createdAt", "createdAt", 'callback', 'done', verdict, "releasedAt" ${from}`,
    `insert into event (id, invoice_id, type, source, invoice_type, payload)
     select event_id(id, 'invoice.paid'), id, 'invoice.paid', source, 'Live', payload ${from} where "publishedAt" is not null`,
    `insert into publication (source, event_id, topic_arn, message_id, published_at)
     select source, event_id(id, 'invoice.paid'), 'arn', 'message-' || id, "publishedAt" ${from} where "publishedAt" is not null`,
    `insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
     select "callbackId", "calledBackAt", source, 'POST', '/callbacks/***', '', array[id], '[]', ''
     ${from} where "calledBackAt" is not null`,
  ])
    await query(statement, [json]);
  return rows.map(({ id }) => id);
}
