import { randomUUID } from "node:crypto";
import type { Database } from "../../src/database/tables.ts";
import { checkLedger, takeDueCheck } from "../../src/ledger/check-ledger.ts";
import type { Surroundings } from "./relay.ts";

const UUID_V7 = (ms: number) =>
  `${ms
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-7${randomUUID().slice(15)}`;

/**
 * Adds rows of every ledgered table: `count` payments, a second apart from `from` on, each with a callback, an
 * answer and an older one, a verdict, an event, its acceptance; a certificate and an act each.
 * @returns the ids of the invoices.
 */
export async function addPayments(
  { query }: Pick<Surroundings, "query">,
  count: number,
  { from = new Date(Date.now() - 86_400_000), source = "default" } = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const times = ids.map((_, index) => from.getTime() + index * 1_000);
  const callbacks = times.map(UUID_V7);
  const given = [ids, callbacks, times.map((time) => new Date(time)), source];
  const rows = "unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as given (id, callback, at)";
  // A sender with two parameters fewer takes what it needs.
  for (const insert of [
    `insert into callback (id, received_at, source, method, path, query, reference, remote_address, found_by,
       invoice_ids, headers, body)
     select callback, at, $4, 'POST', '/r/' || id, 'a=1', 'ref-' || id, '192.0.2.1', 'documented', array[id],
       '[["content-type","application/json"]]', convert_to('{"id":"' || id || '","payerName":"Ada"}', 'UTF8')
     from ${rows}`,
    `insert into invoice (id, source, created_at, modified_at, paid_at, asked_at, confirmed_at, amount,
       service_charge, vat, total_amount, settleable_amount, payer_email_hash, status, type, collection_name,
       title, reference, payment_method, service_fee_payer, digest, document)
     select id, $4, at, at, at, at, at + interval '123456 microseconds', 1500.50, 10, 0.75, 1511.25, 1500.50, 7,
       'Paid', 'Live', 'Gas', 'Fees of Ada', 'ref-' || id, 'Card', 'Payer', md5(id::text),
       json_build_object('id', id, 'payerName', 'Ada') from ${rows}`,
    `insert into invoice_snapshot (invoice_id, source, asked_at, recorded_at, status, digest, document)
     select id, $4, at, at, 'Unpaid', md5(id::text), json_build_object('id', id, 'payerName', 'Ada') from ${rows}`,
    `insert into confirmation (invoice_id, source, opened_at, requested_at, due_at, settled_at, opened_by, state,
       verdict)
     select id, $4, at, at, at, at, 'callback', 'done', 'paid' from ${rows}`,
    `insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, created_at,
       answer_digest)
     select gen_random_uuid(), id, $4, 'invoice.paid', 'Live', 'Gas',
       json_build_object('id', id, 'data', json_build_object('title', 'Fees of Ada'))::text, at, md5(id::text)
     from ${rows}`,
    `insert into publication (event_id, source, topic_arn, message_id, published_at, digest)
     select event.id, $4, 'arn:aws:sns:x', 'sent-' || event.id, at, sha256('x') from ${rows}
     join event on event.invoice_id = given.id and event.source = $4`,
    `insert into certificate (id, source, window_from, window_to, paid, stored, published, gaps, differences,
       paid_amount, stored_amount, published_amount, state, result, collection_ids, document, created_at,
       finished_at)
     select callback, $4, at - interval '1 day', at, 1, 1, 1, 0, 0, 1, 1, 1, 'done', 'equal', array[id], '{}', at, at
     from ${rows}`,
    `insert into audit_entry (at, invoice_id, actor, action, subject, detail)
     select at, id, 'cli:test', 'dead.retry', id::text || $4, '{}' from ${rows}`,
  ])
    await query(insert, /\$4/.test(insert) ? given : given.slice(0, 3));
  return ids;
}

/** What a process does each minute. */
export async function checkDueLedger(db: Database): Promise<void> {
  const due = await takeDueCheck(db);
  if (due !== null) await checkLedger(db, due);
}
