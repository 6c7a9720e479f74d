import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Page, PagePosition } from "../../src/database/page.ts";
import type { Database } from "../../src/database/tables.ts";
import { findInvoices } from "../../src/operate/find-invoices.ts";
import type { InvoiceTerms } from "../../src/operate/list-invoices.ts";
import { openDatabase } from "../../test/support/database.ts";
import { type Harness, startHarness } from "../../test/support/relay.ts";

describe("a search by the payer's name", () => {
  /** What `findInvoices` finds, page by page, and how many rows of `invoice` Postgres read for it. */
  const found = async (db: Database, terms: InvoiceTerms, limit: number) =>
    await db.transaction().execute(async (trx) => {
      // On a slow machine a page would end with its second, and the next begin anew.
      vi.spyOn(performance, "now").mockReturnValue(0);
      onTestFinished(() => void vi.restoreAllMocks());
      const ids: string[] = [];
      for (let from: PagePosition | null = null; ; ) {
        const { items, next }: Page<{ invoiceId: string }> = await findInvoices(trx, terms, { from, limit });
        ids.push(...items.map(({ invoiceId }) => invoiceId));
        if (next === null) break;
        from = next;
      }
      const { rows } = await sql<{ read: number }>`
        select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
        from pg_stat_xact_user_tables where relname = 'invoice'`.execute(trx);
      return { ids, read: Number(rows[0]?.read) };
    });

  const fill = (harness: Harness, count: number, at: string) =>
    harness.query(
      `insert into invoice (id, source, status, asked_at, confirmed_at, digest, document)
       select gen_random_uuid(), 'default', 'Paid', at, at, '',
         -- A NUL, for which Postgres reads no field at all.
         replace(json_build_object('payerName', case when n % 1000 = 7 then 'Ngozi Okafor' else 'Ada Obi' end,
           'note', case when n % 1000 = 7 then 'NUL' end,
           'as long as', repeat('they are', 110))::text, 'NUL', '\\u0000')::json
       from generate_series(1, $1::int) as n cross join lateral (select ${at} as at) as given`,
      [count],
    );

  // A page begins with short spans again, and some are read by the whole table. It was 316,000 to 542,000.
  const AT_MOST = 200_000;

  it.each([
    ["spread over a week", "now() - n * interval '20 s'"],
    ["of two months, with a long silence", "now() - n * interval '1 s' - n / 15000 * interval '50 days'"],
    ["of one moment", "timestamptz '2026-10-01'"],
  ])("reads 30,000 invoices %s about once, not once for each statement", async (_name, at) => {
    const harness = await startHarness();
    await fill(harness, 30_000, at);
    await harness.query("vacuum analyze invoice");
    const db = openDatabase(harness.databaseUrl);
    expect(await found(db, { payer: "nobody" }, 50)).toEqual({ ids: [], read: expect.any(Number) });
    expect((await found(db, { payer: "nobody" }, 50)).read).toBeLessThan(AT_MOST);
    const { ids, read } = await found(db, { payer: "kaf NGOZI" }, 1_000);
    const inOrder = await harness.query<{ id: string }>(
      `select id from invoice where document::text like '%Ngozi Okafor%'
       order by confirmed_at desc, id desc, source desc`,
    );
    expect(ids).toEqual(inOrder.map(({ id }) => id));
    expect(ids).toHaveLength(30);
    expect(read).toBeLessThan(AT_MOST);
    expect((await found(db, { payer: "okafor" }, 4)).ids).toEqual(ids);
  });
});
