import type pg from "pg";

const SLICE = 50_000;
const MAX_ID = 0xffff_ffffn;

/** The id of the n-th of so many payments, from 1: spread over all ids, so that new random ones land among them. */
export const idOf = (n: number, payments: number): string =>
  `${((BigInt(n) * MAX_ID) / BigInt(payments)).toString(16).padStart(8, "0")}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

interface Filling {
  /** The first payment, and the seconds from one to the next. */
  from: Date;
  everySeconds?: number;
  topicArn?: string;
}

/**
 * Fills every table with payments of 10.01 each, with callback, event and acceptance. Documents are short: rows and
 * indexes are what grows.
 */
export async function fillPayments(
  query: (text: string, values?: unknown[]) => Promise<pg.QueryResultRow[]>,
  payments: number,
  { from, everySeconds = 0, topicArn = "arn" }: Filling,
): Promise<void> {
  const rows = `generate_series($1::bigint, $2::bigint) as n, lateral (select
      lpad(to_hex(n * ${MAX_ID} / ${payments}), 8, '0') as place, lpad(to_hex(n), 12, '0') as number,
      '${from.toISOString()}'::timestamptz + (n - 1) * interval '${everySeconds} s' as at,
      'order-' || n as reference, 'payer-' || n % 1000000 || '@example.com' as payer) as each,
    lateral (select (place || '-0000-4000-8000-' || number)::uuid as id,
      lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as moment,
      to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as iso) as ids,
    lateral (select event_id(id, 'invoice.paid') as event_id) as keys,
    lateral (select
      '{"id":"' || id || '","amount":10.01,"serviceCharge":1,"vat":0.5,"totalAmount":11.51,"settleableAmount":10.01,'
        || '"status":"Paid","type":"Live","payerEmail":"' || payer || '","paymentDate":"' || iso || '"}' as document,
      '{"id":"' || event_id || '","subject":"' || id
        || '","data":{"type":"Live","amount":"10.01","serviceCharge":"1.00","vat":"0.50","totalAmount":"11.51",'
        || '"settleableAmount":"10.01","paidAt":"' || iso || '"}}' as payload) as texts`;
  for (const insert of [
    // A callback's id has its time in it.
    `callback (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids,
       headers, body)
     select (left(moment, 8) || '-' || right(moment, 4) || '-7000-8000-' || number)::uuid, at, 'default', 'POST',
       '/callbacks/***/' || reference, '', reference, '127.0.0.1', 'data.id', array[id],
       '[["Content-Type","application/json"]]', convert_to('{"data":{"id":"' || id || '"}}', 'UTF8') from ${rows}`,
    `confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at, settled_at, state,
       verdict)
     select id, 'default', 'known', 'callback', at, at, at, at, 'done', 'paid' from ${rows}`,
    `invoice (id, source, status, type, collection_name, reference, payment_method, amount, service_charge, vat,
       total_amount, settleable_amount, paid_at, created_at, modified_at, asked_at, confirmed_at,
       document, digest)
     select id, 'default', 'Paid', 'Live', 'Term 2', reference, 'Card', 10.01, 1, 0.5, 11.51, 10.01, at, at, at, at,
       at, document::json,
       translate(rtrim(encode(sha256(convert_to(document, 'UTF8')), 'base64'), '='), '+/', '-_') from ${rows}`,
    `event (id, invoice_id, type, source, invoice_type, collection_name, payload, created_at)
     select event_id, id, 'invoice.paid', 'default', 'Live', 'Term 2', payload, at from ${rows}`,
    `publication (source, event_id, topic_arn, message_id, digest, published_at)
     select 'default', event_id, '${topicArn}', id::text, sha256(convert_to(payload, 'UTF8')), at from ${rows}`,
  ])
    for (let first = 1; first <= payments; first += SLICE)
      await query(`insert into ${insert}`, [first, Math.min(payments, first + SLICE - 1)]);
  await query("vacuum analyze");
}
