import { sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { findInvoices } from "../../src/operations/find.ts";
import type { Database, PagePosition } from "../../src/platform/database/index.ts";
import { openDatabase } from "../../test/support/database.ts";
import { startHarness } from "../../test/support/relay.ts";

/** The invoices found, page by page, and how many rows of `invoice` Postgres read for them. */
const found = (db: Database, payer: string, limit: number) =>
  db.transaction().execute(async (trx) => {
    const ids: string[] = [];
    let from: PagePosition | null = null;
    do {
      const page: Awaited<ReturnType<typeof findInvoices>> = await findInvoices(
        trx,
        { payer },
        { from, limit },
      );
      ids.push(...page.items.map(({ invoiceId }) => invoiceId));
      from = page.next;
    } while (from !== null);
    const { rows } = await sql<{ read: number }>`
      select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relname = 'invoice'`.execute(trx);
    return { ids, read: rows[0]?.read };
  });

it("a search by the payer's name reads each of 30,000 invoices about once, page by page in order", async () => {
  // On a slow machine a page would end with its second, and the next begin anew.
  vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const { query, databaseUrl } = await startHarness();
  // Of two months, with a long silence; some with a NUL, for which Postgres reads no field at all.
  await query(`insert into invoice (id, source, status, asked_at, confirmed_at, digest, document)
    select gen_random_uuid(), 'default', 'Paid', at, at, '',
      replace(json_build_object('payerName', case when n % 1000 = 7 then 'Ngozi Okafor' else 'Ada Obi' end,
        'note', case when n % 1000 = 7 then 'NUL' end,
        'as long as', repeat('they are', 110))::text, 'NUL', '\\u0000')::json
    from generate_series(1, 30000) as n,
      lateral (select now() - n * interval '1 s' - n / 15000 * interval '50 days' as at) as given`);
  await query("vacuum analyze invoice");
  const db = openDatabase(databaseUrl);
  const rare = await found(db, "kaf NGOZI", 1_000);
  const inOrder = await query<{ id: string }>(
    `select id from invoice where document::text like '%Ngozi Okafor%' order by confirmed_at desc, id desc`,
  );
  expect(rare.ids).toEqual(inOrder.map(({ id }) => id));
  expect(rare.ids).toHaveLength(30);
  expect((await found(db, "okafor", 4)).ids).toEqual(rare.ids);
  // A page begins with short spans again, and some are read by the whole table.
  for (const { read } of [rare, await found(db, "nobody", 50)]) expect(read).toBeLessThan(200_000);
});
