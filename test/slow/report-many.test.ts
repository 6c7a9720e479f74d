import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, it } from "vitest";
import type { BookSource } from "../../src/books/book-source.ts";
import { REPORTS } from "../../src/books/report/reports.ts";
import { Totals } from "../../src/books/report/sheet.ts";
import { csvParts } from "../../src/books/report/sheet-file.ts";
import { xlsxParts } from "../../src/books/report/xlsx.ts";
import { openDatabase } from "../support/log-rows.ts";
import { type Surroundings, surroundings } from "../support/relay.ts";
import { heapAfterCollection } from "./heap-after-collection.ts";

/** docs/performance.md has the figures of 100,000. */
const PAYMENTS = Number(process.env.REPORT_PAYMENTS ?? 100_000);
const MOST_HEAP_MB = 30;
/** The heap is looked at once in so many parts. */
const LOOK_EVERY = 100;

const SOURCE: BookSource = {
  name: "default",
  zone: "Africa/Lagos",
  currency: "NGN",
  collectionIds: [],
  paidStatuses: ["Paid"],
};

/** Payments of October, 10.01 each and one a moment, with callback, event and acceptance. */
async function fill(query: (text: string, values?: unknown[]) => Promise<unknown>): Promise<void> {
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
const invoicesRead = async ({ query }: Surroundings): Promise<number> => {
  const [row] = await query<{ n: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables where relname = 'invoice'",
  );
  return row?.n ?? 0;
};

it("a report of very many payments holds no more of them in memory than of few", async () => {
  const around = await surroundings();
  await fill(around.query);
  const db = openDatabase(around.environment().DATABASE_URL ?? "");
  const request = {
    sources: [SOURCE],
    from: "2026-10-01",
    to: "2026-10-31",
    showsPayers: true,
    mask: (text: string) => text,
  };

  for (const [format, partsOf] of [
    ["csv", csvParts],
    ["xlsx", (sheet, totals) => xlsxParts(sheet, totals, new Date())],
  ] satisfies [string, typeof csvParts][]) {
    const sheet = REPORTS.payments(db, request);
    const totals = new Totals(sheet);
    const before = heapAfterCollection();
    const startedAt = performance.now();
    const readBefore = await invoicesRead(around);
    const digest = createHash("sha256");
    let [most, parts, bytes] = [0, 0, 0];
    await pipeline(
      partsOf(sheet, totals),
      new Writable({
        write(part: Buffer, _encoding, done) {
          digest.update(part);
          bytes += part.length;
          parts += 1;
          if (parts % LOOK_EVERY === 0) most = Math.max(most, heapAfterCollection() - before);
          done();
        },
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stdout.write(
      `${format}: ${totals.rows.toLocaleString("en-US")} payments in ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB, ` +
        `heap after collection at most ${(most / 1024 ** 2).toFixed(1)} MB more\n`,
    );
    expect(totals.all[0]?.sums[sheet.columns.findIndex(({ name }) => name === "amount")]).toBe(
      `${(BigInt(PAYMENTS) * 1001n) / 100n}.${String((BigInt(PAYMENTS) * 1001n) % 100n).padStart(2, "0")}`,
    );
    expect(most / 1024 ** 2).toBeLessThan(MOST_HEAP_MB);
    // Each page costs the same: Postgres does not sort all that is left of the period for each.
    await expect.poll(async () => (await invoicesRead(around)) - readBefore).toBeGreaterThanOrEqual(PAYMENTS);
    expect((await invoicesRead(around)) - readBefore).toBeLessThan(4 * PAYMENTS);
  }
}, 600_000);
