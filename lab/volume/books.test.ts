import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, it } from "vitest";
import type { BookSource } from "../../src/books/report/read-payments.ts";
import { REPORTS } from "../../src/books/report/reports.ts";
import { sheetFile } from "../../src/books/report/sheet-file.ts";
import type { Database } from "../../src/database/tables.ts";
import { openDatabase } from "../../test/support/database.ts";
import { type Harness, startHarness } from "../../test/support/relay.ts";
import { heapAfterCollection } from "./heap-after-collection.ts";

/** docs/performance.md has the figures of 100,000. */
const PAYMENTS = Number(process.env.BOOKS_PAYMENTS ?? 100_000);
const HEAP_LIMIT_MB = 30;
/** Collecting takes long: the heap is looked at once in so many parts of a file. */
const LOOK_EVERY = 100;

const SUM = (PAYMENTS * 10.01).toFixed(2);
const OCTOBER = { from: "2026-10-01", to: "2026-10-31" };
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

/** Prints what it took. @throws AssertionError when much is left in memory. */
async function measured<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  const before = heapAfterCollection();
  const startedAt = performance.now();
  // By the thread's own processor time: what else the machine does is not counted.
  const busyMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [most, longest, last] = [0, 0, busyMs()];
  const watch = setInterval(() => {
    longest = Math.max(longest, busyMs() - last);
    last = busyMs();
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, 5);
  const result = await run();
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1_000;
  const left = heapAfterCollection() - before;
  process.stdout.write(
    `${PAYMENTS} payments ${what} in ${seconds.toFixed(1)} s; event loop held ${longest.toFixed(0)} ms at most; ` +
      `heap ${((most - before) / 1e6).toFixed(0)} MB more at most, ${(left / 1e6).toFixed(1)} MB after collection\n`,
  );
  expect(left / 1e6).toBeLessThan(HEAP_LIMIT_MB);
  return result;
}

/** Reads a whole report, looking at what is in memory meanwhile. */
async function report(db: Database, format: "csv" | "xlsx"): Promise<void> {
  const request = { sources: [SOURCE], ...OCTOBER, showsPayers: true, mask: (text: string) => text };
  const { parts, columns, totals } = sheetFile(REPORTS.payments(db, request), "october", format, new Date());
  const before = heapAfterCollection();
  const digest = createHash("sha256");
  let [most, count] = [0, 0];
  const write = (part: Buffer, _encoding: string, done: () => void) => {
    digest.update(part);
    if (++count % LOOK_EVERY === 0) most = Math.max(most, heapAfterCollection() - before);
    done();
  };
  await pipeline(parts, new Writable({ write }));
  expect(most / 1e6).toBeLessThan(HEAP_LIMIT_MB);
  expect(totals.all[0]?.sums[columns.findIndex(({ name }) => name === "amount")]).toBe(SUM);
}

/** Rows that Postgres has looked at so far. */
const invoicesRead = async ({ query }: Harness): Promise<number> => {
  const [row] = await query<{ n: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables where relname = 'invoice'",
  );
  return row?.n ?? 0;
};

it("a month of very many payments is reported beside the process' other work, and leaves nothing in memory", async () => {
  const harness = await startHarness();
  await fill(harness);
  const db = openDatabase(harness.databaseUrl);

  for (const format of ["csv", "xlsx"] as const) {
    const readBefore = await invoicesRead(harness);
    await measured(`written as ${format}`, () => report(db, format));
    // Each page costs the same: Postgres does not sort all that is left of the period for each.
    await expect
      .poll(async () => (await invoicesRead(harness)) - readBefore)
      .toBeGreaterThanOrEqual(PAYMENTS);
    expect((await invoicesRead(harness)) - readBefore).toBeLessThan(4 * PAYMENTS);
  }
});
