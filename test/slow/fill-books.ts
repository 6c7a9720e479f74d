import { type Books, TOPIC } from "../reconcile/relay-books.ts";

const SLICE = 50_000;

/** The id of the n-th payment, from 1. */
export const idOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

/** Payments of one day, 10.01 each, asked, stored and published. */
export async function fillBooks({ query }: Books, day: Date, payments: number): Promise<void> {
  const ids = `generate_series($1::int, $2::int) as n,
    lateral (select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
      ('00000000-0000-5000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as event_id) as ids`;
  const iso = day.toISOString();
  const payload = `'{"id":"' || event_id || '","subject":"' || id || '","data":{"type":"Live","amount":"10.01","paidAt":"${iso}"}}'`;
  const document = `'{"id":"' || id || '","amount":10.01,"status":"Paid","type":"Live","paymentDate":"${iso}"}'`;
  for (const rows of [
    `confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, verdict)
       select id, 'default', '${iso}', now(), now(), 'reconcile', 'done', 'paid' from ${ids}`,
    `invoice (id, source, status, type, paid_at, amount, asked_at, confirmed_at, document, digest)
       select id, 'default', 'Paid', 'Live', '${iso}', 10.01, now(), now(), (${document})::json,
         translate(rtrim(encode(sha256(convert_to(${document}, 'UTF8')), 'base64'), '='), '+/', '-_')
       from ${ids}`,
    `event (id, invoice_id, type, source, invoice_type, payload, created_at)
       select event_id, id, 'invoice.paid', 'default', 'Live', ${payload}, '${iso}' from ${ids}`,
    `publication (source, event_id, topic_arn, message_id, digest, published_at)
       select 'default', event_id, '${TOPIC}', 'm', sha256(convert_to(${payload}, 'UTF8')), '${iso}'
       from ${ids}`,
  ])
    for (let first = 1; first <= payments; first += SLICE)
      await query(`insert into ${rows}`, [first, Math.min(payments, first + SLICE - 1)]);
  await query("analyze");
}
