import type { BenchDatabase } from "./bench-database.ts";
import { callbackBody } from "./sample-payment.ts";

export type Queue = "relay" | "graphileWorker" | "pgBoss";

/** What makes the recorded callbacks work to do, in each queue's own way; `$1` are the invoices' ids. */
const ENQUEUE: Record<Queue, string> = {
  relay: `
    with opened as (
      insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at)
      select id, 'default', 'unknown', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp()
      from unnest($1::uuid[]) as given (id))
    select pg_notify('invoice_relay', 'bench confirm')`,
  graphileWorker: `
    select count(*) from graphile_worker.add_jobs((
      select array_agg(json_populate_record(null::graphile_worker.job_spec,
        json_build_object('identifier', 'confirm', 'payload', json_build_object('invoiceId', id))))
      from unnest($1::uuid[]) as given (id)))`,
  pgBoss: `
    insert into pgboss.job (name, data, retry_limit, retry_delay)
    select 'confirm', jsonb_build_object('invoiceId', id), 5, 1 from unnest($1::uuid[]) as given (id)`,
};

const PLACE = "00000000-0000-4000-8000-000000000000";

const RECORD = `
  insert into callback
    (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids,
     headers, body)
  select gen_random_uuid(), clock_timestamp(), 'default', 'POST', '/callbacks/***/order-10023', '',
    'order-10023', '127.0.0.1', 'data.id', array[id], '[["Content-Type","application/json"]]',
    convert_to(replace($2, '${PLACE}', id::text), 'UTF8')
  from unnest($1::uuid[]) as given (id)`;

/**
 * Puts callbacks for these invoices into the log and the queue, in one transaction: work appears all at once.
 */
export async function recordCallbacks(
  database: BenchDatabase,
  queue: Queue,
  invoiceIds: string[],
): Promise<void> {
  await database.transaction(async (query) => {
    await query(RECORD, [invoiceIds, callbackBody(PLACE, PLACE)]);
    await query(ENQUEUE[queue], [invoiceIds]);
  });
}
