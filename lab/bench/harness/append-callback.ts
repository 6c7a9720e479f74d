import { newId } from "../../../src/kit/ids.ts";

const STATEMENT = `
  with logged as (
    insert into callback
      (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids,
       headers, body)
    values ($1, $2, 'default', $3, '/callbacks/***/order-10023', '', $4, $5, 'data.id', array[$6::uuid],
      $7, $8))
  insert into confirmation as known
    (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at)
  values ($6, 'default', 'unknown', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp())
  on conflict (invoice_id, source) do update set
    requests = known.requests + 1, attempt = 0, requested_at = clock_timestamp(), due_at = clock_timestamp(),
    state = 'due'`;

export interface PlainCallback {
  invoiceId: string;
  method: string;
  reference: string | null;
  remoteAddress: string | null;
  headers: string[];
  body: Buffer;
}

/** One prepared statement, one commit: the rows that the relay writes for one callback. */
export const appendCallback = (callback: PlainCallback) => ({
  name: "append",
  text: STATEMENT,
  values: [
    newId(),
    new Date(),
    callback.method,
    callback.reference,
    callback.remoteAddress,
    callback.invoiceId,
    JSON.stringify(callback.headers),
    callback.body,
  ],
});
