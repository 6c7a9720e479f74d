import { expect, it } from "vitest";
import type { BookSource } from "../../src/operations/report/read-payments.ts";
import { REPORTS } from "../../src/operations/report/reports.ts";
import { sheetFile } from "../../src/operations/report/sheet-file.ts";
import { openDatabase } from "../../test/support/database.ts";
import { type Harness, startHarness } from "../../test/support/relay.ts";
import { fillPayments } from "./fill-payments.ts";
import { HeapWatch } from "./heap.ts";

/** docs/performance.md has the figures of 100,000. */
const PAYMENTS = Number(process.env.BOOKS_PAYMENTS ?? 100_000);
const HEAP_LIMIT_MB = 30;
/** The heap is looked at once in so many parts of a file. */
const LOOK_EVERY = 100;

const SOURCE: BookSource = {
  ...{ name: "default", zone: "UTC", currency: "NGN", collectionIds: [], paidStatuses: ["Paid"] },
};

/** Rows that Postgres has looked at so far. */
const invoicesRead = async ({ query }: Harness): Promise<number> => {
  const [row] = await query<{ n: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables where relname = 'invoice'",
  );
  return row?.n ?? 0;
};

it("a month of very many payments is reported with little in memory, and each payment is read about once", async () => {
  const harness = await startHarness();
  const everySeconds = (30 * 86_400) / PAYMENTS;
  await fillPayments(harness.query, PAYMENTS, { from: new Date("2026-10-01"), everySeconds });
  const db = openDatabase(harness.databaseUrl);
  const october = { from: "2026-10-01", to: "2026-10-31" };
  for (const format of ["csv", "xlsx"] as const) {
    const readBefore = await invoicesRead(harness);
    const request = { ...october, sources: [SOURCE], showsPayers: true, mask: (text: string) => text };
    const watch = new HeapWatch(LOOK_EVERY);
    const { parts, written } = sheetFile(REPORTS.payments(db, request), "october", format, new Date());
    for await (const _part of parts) watch.look();
    expect(written.rows).toBe(PAYMENTS);
    expect(watch.report(`${PAYMENTS} payments as ${format}`)).toBeLessThan(HEAP_LIMIT_MB);
    // Each page costs the same: Postgres does not sort all that is left of the period for each.
    await expect
      .poll(async () => (await invoicesRead(harness)) - readBefore)
      .toBeGreaterThanOrEqual(PAYMENTS);
    expect((await invoicesRead(harness)) - readBefore).toBeLessThan(4 * PAYMENTS);
  }
});
