import { randomUUID } from "node:crypto";
import { invoicePaidId } from "../../src/events/invoice-paid.ts";
import type { Database } from "../../src/platform/database/tables.ts";
import { openDatabase } from "./database.ts";
import { type Harness, startHarness } from "./relay.ts";

/** What a relay runs in, and a connection to its database. */
export async function withDatabase(): Promise<{ harness: Harness; db: Database }> {
  const harness = await startHarness();
  return { harness, db: openDatabase(harness.databaseUrl) };
}

const payloadOf = (id: string, invoiceId: string) =>
  JSON.stringify({
    ...{ specversion: "1.0", id, type: "invoice.paid", subject: invoiceId },
    data: {
      ...{ invoiceId, title: "School fees", totalAmount: "1511.25", metadata: { class: "4b" } },
      payer: { name: "Ada Obi", email: "ada@example.com", phoneNumber: "+2348012345678" },
      biller: { name: "Hill School", address: "1 Hill Road", email: "bursar@example.com" },
    },
  });

export interface EventRow {
  id: string;
  invoiceId: string;
  payload: string;
}

/** Rows of `event`, made one second apart from 2026-10-01: accepted by SNS, or in the outbox. */
export async function addEvents(
  harness: Harness,
  count: number,
  { state = "published", invoiceType = "Live", source = "default" } = {},
): Promise<EventRow[]> {
  const rows = Array.from({ length: count }, () => {
    const invoiceId = randomUUID();
    const id = invoicePaidId(invoiceId);
    return { id, invoiceId, payload: payloadOf(id, invoiceId) };
  });
  const ids = rows.map((row) => row.id);
  await harness.query(
    `insert into event (id, invoice_id, payload, type, source, invoice_type, collection_name, created_at)
     select id, invoice_id, payload, 'invoice.paid', $4, $5, 'Term 1',
       '2026-10-01T00:00:00Z'::timestamptz + n * interval '1 second'
     from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as given (id, invoice_id, payload, n)`,
    [ids, rows.map((row) => row.invoiceId), rows.map((row) => row.payload), source, invoiceType],
  );
  if (state === "published")
    await harness.query(
      `insert into publication (event_id, source, topic_arn, message_id, published_at)
       select id, source, $2, 'sent-' || id, created_at from event where id = any($1)`,
      [ids, harness.topicArn],
    );
  else
    await harness.query(
      `insert into outbox (event_id, source, invoice_type, state, due_at)
       select id, source, invoice_type, $2, created_at from event where id = any($1) and source = $3`,
      [ids, state, source],
    );
  return rows;
}

type Columns = Record<string, unknown>;

const insertRow = (harness: Harness, table: string, row: Columns) => {
  const slots = Object.keys(row).map((_, index) => `$${index + 1}`);
  return harness.query(`insert into ${table} (${Object.keys(row)}) values (${slots})`, Object.values(row));
};

/** One row of `confirmation`; what is left out is one that ended in `paid`. */
export async function addConfirmation(harness: Harness, columns: Columns = {}): Promise<string> {
  const at = "2026-10-01T00:00:00Z";
  const row: Columns = {
    ...{ invoice_id: randomUUID(), source: "default", opened_by: "callback", priority: "known" },
    ...{ opened_at: at, requested_at: at, due_at: at, settled_at: "2026-10-01T00:00:05Z" },
    ...{ state: "done", verdict: "paid" },
    ...columns,
  };
  await insertRow(harness, "confirmation", row);
  return String(row.invoice_id);
}

/** One row of `invoice`; what is left out is one that is paid. @returns its id */
export async function addInvoice(harness: Harness, columns: Columns = {}): Promise<string> {
  const [id, now] = [randomUUID(), new Date()];
  const row: Columns = {
    ...{ id, source: "default", status: "Paid", paid_at: now, asked_at: now, confirmed_at: now },
    ...{ digest: "", document: "{}" },
    ...columns,
  };
  await insertRow(harness, "invoice", row);
  return String(row.id);
}

/** One row of `callback`; what is left out is the documented one about a new invoice. */
export async function addCallback(harness: Harness, columns: Columns = {}) {
  const invoiceId = randomUUID();
  const row: Columns = {
    ...{ id: randomUUID(), received_at: "2026-10-01T00:00:00Z", source: "default", method: "POST" },
    ...{ path: "/callbacks/***", query: "", invoice_ids: [invoiceId], found_by: "data.id" },
    headers: JSON.stringify([["Content-Type", "application/json"]]),
    body: Buffer.from(JSON.stringify({ data: { id: invoiceId, payerName: "Ada Obi" } })),
    ...columns,
  };
  await insertRow(harness, "callback", row);
  return { id: String(row.id), invoiceId };
}

/** One open alarm. @param ago since when it is open */
export const addAlarm = (
  harness: Harness,
  name: string,
  subject: string,
  { source = "default", ago = "0 s" } = {},
) =>
  harness.query(
    `insert into alarm (name, source, subject, detail, raised_at, last_raised_at)
     values ($1, $2, $3, 'because', now() - $4::interval, now())`,
    [name, source, subject, ago],
  );

/** A relay that said so long ago that it lives; what is left out is one that does everything. */
export const addProcess = (
  harness: Harness,
  { ago = "0 s", host = "relay-1", workers = true, sources = "{}" } = {},
) =>
  harness.query(
    `insert into relay_process (id, seen_at, pid, http, workers, host, version, beat_ms, serves)
     values (gen_random_uuid(), now() - $1::interval, 17, true, $2, $3, '1.0.0', 5000,
       jsonb_build_object('sources', $4::jsonb, 'topics', '[]'::jsonb))`,
    [ago, workers, host, sources],
  );

/** A digest of every row of every table, to show that nothing was changed. Signs of life are no change. */
export async function wholeDatabase(harness: Harness): Promise<Record<string, unknown>> {
  const tables = await harness.query<{ name: string }>(
    `select tablename as name from pg_tables
     where schemaname = 'public' and tablename <> 'relay_process' order by 1`,
  );
  const digests: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await harness.query(
      `select count(*)::int as rows, md5(string_agg(rows::text, ' ' order by rows::text)) as digest from "${name}" as rows`,
    );
    digests[name] = row;
  }
  return digests;
}
