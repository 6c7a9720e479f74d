import { expect, it } from "vitest";
import type { BookSource } from "../../src/books/report/read-payments.ts";
import { REPORTS } from "../../src/books/report/reports.ts";
import { sheetFile } from "../../src/books/report/sheet-file.ts";
import { openDatabase } from "../../test/support/database.ts";
import { type Harness, startHarness } from "../../test/support/relay.ts";
import { HeapWatch } from "./heap.ts";

/** docs/performance.md has the figures of 100,000. */
const PAYMENTS = Number(process.env.BOOKS_PAYMENTS ?? 100_000);
const HEAP_LIMIT_MB = 30;
/** The heap is looked at once in so many parts of a file. */
const LOOK_EVERY = 100;

const SUM = (PAYMENTS * 10.01).toFixed(2);
const SOURCE: BookSource = {
  ...{ name: "default", zone: "UTC", currency: "NGN", collectionIds: [], paidStatuses: ["Paid"] },
};

/** Payments of October, 10.01 each and one a moment, each with callback, event and acceptance. */
async function fill({ query }: Harness): Promise<void> {
  const from = `generate_series(1, $1::int) as n, lateral (select
    ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
    ('00000000-0000-5000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as event_id,
    '2026-10-01T00:00:00Z'::timestamptz + n * (interval '30 days' / $1::int) as at) as each`;
  for (const insert of [
    `invoice (id, source, status, type, collection_name, reference, payment_method, amount, service_charge, vat,
       total_amount, settleable_amount, paid_at, created_at, asked_at, confirmed_at, document, digest)
     select id, 'default', 'Paid', 'Live', 'School fees', 'order ' || n, 'Card', 10.01, 1, 0.5, 11.51, 10.01, at, at,
       at, at, json_build_object('payerName', 'Payer ' || n), 'digest' from ${from}`,
    `confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, verdict)
     select id, 'default', at, at, at, 'callback', 'done', 'paid' from ${from}`,
    `event (id, invoice_id, type, source, invoice_type, payload)
     select event_id, id, 'invoice.paid', 'default', 'Live', '{}' from ${from}`,
    `publication (source, event_id, topic_arn, message_id, published_at)
     select 'default', event_id, 'arn', gen_random_uuid(), at from ${from}`,
    `callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
     select gen_random_uuid(), at, 'default', 'POST', '/callbacks/***', '', array[id], '[]', '' from ${from}`,
  ])
    await query(`insert into ${insert}`, [PAYMENTS]);
  await query("analyze");
}

/** Rows that Postgres has looked at so far. */
const invoicesRead = async ({ query }: Harness): Promise<number> => {
  const [row] = await query<{ n: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables where relname = 'invoice'",
  );
  return row?.n ?? 0;
};

it("a month of very many payments is reported with little in memory, and each payment is read about once", async () => {
  const harness = await startHarness();
  await fill(harness);
  const db = openDatabase(harness.databaseUrl);
  const october = { from: "2026-10-01", to: "2026-10-31" };
  for (const format of ["csv", "xlsx"] as const) {
    const readBefore = await invoicesRead(harness);
    const request = { ...october, sources: [SOURCE], showsPayers: true, mask: (text: string) => text };
    const watch = new HeapWatch(LOOK_EVERY);
    const { parts, columns, totals } = sheetFile(
      REPORTS.payments(db, request),
      "october",
      format,
      new Date(),
    );
    for await (const _part of parts) watch.look();
    expect(totals.all[0]?.sums[columns.findIndex(({ name }) => name === "amount")]).toBe(SUM);
    expect(watch.report(`${PAYMENTS} payments as ${format}`)).toBeLessThan(HEAP_LIMIT_MB);
    // Each page costs the same: Postgres does not sort all that is left of the period for each.
    await expect
      .poll(async () => (await invoicesRead(harness)) - readBefore)
      .toBeGreaterThanOrEqual(PAYMENTS);
    expect((await invoicesRead(harness)) - readBefore).toBeLessThan(4 * PAYMENTS);
  }
});
