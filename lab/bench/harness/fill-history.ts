import { connect } from "../../../src/database/connect.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { makePartitions } from "../../../src/receive/log/partitions.ts";
import { TOPIC_ARN } from "./payment.ts";
import { tell } from "./rounds.ts";
import type { BenchDatabase } from "./stage.ts";

const CHUNK = 100_000;
const MONTHS = 12;

/**
 * Payments of the past, one every 3.1 s (ten million in a year), their ids spread over all ids, so that new
 * random ones land among them as they do in a real log. Documents are short: rows and indexes are what grows.
 */
const FILL = `
  with paid as materialized (
    select
      n, (lpad(to_hex(((n * 4294967295) / $3)::bigint), 8, '0') || '-0000-4000-8000-'
        || lpad(to_hex(n), 12, '0'))::uuid as id,
      date_trunc('minute', now()) - ($3 - n) * interval '3.1 seconds' as at
    from generate_series($1::bigint, $2::bigint) as n),
  timed as materialized (
    select paid.*, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as moment from paid),
  past as materialized (
    select id, at, 'order-' || n as reference,
      -- A callback's id has its time in it.
      (left(moment, 8) || '-' || right(moment, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
        as callback_id,
      ('x' || left(encode(sha256(convert_to('payer-' || n % 1000000 || '@example.com', 'UTF8')), 'hex'), 8))
        ::bit(32)::integer as payer_email_hash,
      '{"id":"' || id || '","status":"Paid","type":"Live",'
        || '"payerEmail":"payer-' || n % 1000000 || '@example.com",'
        || '"amount":1500.50,"totalAmount":1511.25}' as document,
      '{"id":"' || id || '","subject":"' || id || '",'
        || '"data":{"amount":"1500.50","totalAmount":"1511.25","paidAt":"'
        || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}}' as payload
    from timed),
  callbacks as (
    insert into callback
      (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids,
       headers, body)
    select callback_id, at, 'default', 'POST', '/callbacks/***/' || reference, '', reference, '127.0.0.1',
      'data.id', array[id],
      '[["Content-Type","application/json"]]',
      convert_to('{"data":{"id":"' || id || '","status":"Paid"}}', 'UTF8')
    from past),
  confirmations as (
    insert into confirmation
      (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
    select id, 'default', 'known', 'callback', at, at, at, at, 'done', 'paid' from past),
  invoices as (
    insert into invoice
      (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount, total_amount, status,
       type, collection_name, reference, payer_email_hash, digest, document)
    select id, 'default', at, at, at, at, at, 1500.50, 1511.25, 'Paid', 'Live', 'Term 2', reference,
      payer_email_hash,
      translate(rtrim(encode(sha256(convert_to(document, 'UTF8')), 'base64'), '='), '+/', '-_'),
      document::json
    from past),
  events as (
    insert into event (id, invoice_id, source, type, invoice_type, collection_name, created_at, payload)
    select id, id, 'default', 'invoice.paid', 'Live', 'Term 2', at, payload from past)
  insert into publication (source, event_id, published_at, topic_arn, message_id, digest)
  select 'default', id, at, '${TOPIC_ARN}', id::text, sha256(convert_to(payload, 'UTF8')) from past`;

/** Fills every table with `rows` payments of the past, vacuumed and analysed as they would be by then. */
export async function fillHistory(database: BenchDatabase, rows: number): Promise<void> {
  const { db, close } = connect(new Secret(database.url), { max: 1 });
  try {
    for (let month = MONTHS; month >= 0; month -= 3)
      await makePartitions(db, new Date(Date.now() - month * 31 * 86_400_000));
  } finally {
    await close();
  }
  for (let done = 0; done < rows; done += CHUNK) {
    await database.query(FILL, [done + 1, Math.min(rows, done + CHUNK), rows]);
    const filled = Math.min(rows, done + CHUNK);
    if (filled % 1_000_000 === 0) tell(`filled ${filled} of ${rows} rows`);
  }
  await database.query("vacuum analyze");
}
