import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Page, PagePosition } from "../../src/database/page.ts";
import type { Database } from "../../src/database/tables.ts";
import { moneyIn } from "../../src/kit/money-text.ts";
import { findInvoices } from "../../src/operate/find-invoices.ts";
import type { InvoiceTerms } from "../../src/operate/invoice-terms.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { eventually, toHaveLength } from "../support/eventually.ts";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";

describe("invoice-relay invoices, and invoice by reference", () => {
  it("finds a confirmed invoice by what a customer can say of it", async () => {
    const began = new Date().toISOString();
    const around = await surroundings();
    const environment = around.environment({ COLLECTION_IDS: "none" });
    const relay = await startRelay(environment);
    const id = around.provider.paid();
    await relay.callback({ data: { id } });
    const published = () => around.query<{ event_id: string }>("select event_id from publication");
    const [publication] = await eventually(published, toHaveLength(1));
    await around.query("update invoice set reference = 'order-42'");
    const [row] = await around.query<{ total: string; collection: string }>(
      "select total_amount::text as total, collection_name as collection from invoice",
    );

    for (const filter of [
      [],
      ["--reference", "order-42"],
      ["--status", "paid"],
      ["--amount", row?.total ?? ""],
      ["--collection", row?.collection ?? ""],
      ["--from", "2020-01-01"],
      ["--confirmed-from", began, "--confirmed-to", "2126-01-01"],
    ]) {
      const { stdout } = await runCli(["invoices", "--json", ...filter], environment);
      expect(JSON.parse(stdout), filter.join(" ")).toMatchObject({
        invoices: [
          {
            invoiceId: id,
            reference: "order-42",
            verdict: "paid",
            event: "published",
            eventId: publication?.event_id,
          },
        ],
      });
    }
    expect((await runCli(["invoices", "--amount", "1"], environment)).stdout).toContain(
      "No confirmed invoice matches",
    );
    const { stdout } = await runCli(["invoices"], environment);
    expect(stdout).toMatch(
      new RegExp(`^invoice .*\n${id} +order-42 +${moneyIn("NGN", row?.total)} +Paid +paid +published `),
    );

    const shown = await runCli(["invoice", "order-42"], environment);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`Invoice ${id}`) });
    const none = await runCli(["invoice", "order-43"], environment);
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('the reference "order-43"') });
  });

  it("names the invoices of one reference instead of choosing", async () => {
    const around = await surroundings();
    const ids = [randomUUID(), randomUUID()];
    await around.query(
      `insert into invoice (id, source, status, reference, asked_at, confirmed_at, digest, document)
       select unnest($1::uuid[]), 'default', 'Unpaid', 'order-7', now(), now(), '', '{}'`,
      [ids],
    );
    const { code, stderr } = await runCli(["invoice", "order-7"], around.environment());
    expect(code).toBe(2);
    for (const id of ids) expect(stderr).toContain(id);
  });
});

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

  const fill = (around: Surroundings, count: number, at: string) =>
    around.query(
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
    const around = await surroundings();
    await fill(around, 30_000, at);
    await around.query("vacuum analyze invoice");
    const db = openDatabase(around.databaseUrl);
    expect(await found(db, { payer: "nobody" }, 50)).toEqual({ ids: [], read: expect.any(Number) });
    expect((await found(db, { payer: "nobody" }, 50)).read).toBeLessThan(AT_MOST);
    const { ids, read } = await found(db, { payer: "kaf NGOZI" }, 1_000);
    const inOrder = await around.query<{ id: string }>(
      `select id from invoice where document::text like '%Ngozi Okafor%'
       order by confirmed_at desc, id desc, source desc`,
    );
    expect(ids).toEqual(inOrder.map(({ id }) => id));
    expect(ids).toHaveLength(30);
    expect(read).toBeLessThan(AT_MOST);
    expect((await found(db, { payer: "okafor" }, 4)).ids).toEqual(ids);
  });

  it("finds letters beyond ASCII in either case, however they are composed, in a database of any locale", async () => {
    const around = await surroundings();
    await around.query(
      `insert into invoice (id, source, status, asked_at, confirmed_at, digest, document)
       select gen_random_uuid(), 'default', 'Paid', now(), now(), '', json_build_object('payerName', name)
       from unnest($1::text[]) as name`,
      [
        [
          "ADÉBÁYÒ 100%_Ọlá",
          "Ade\u0301ba\u0301yo\u0300 100%_O\u0323LA\u0301",
          "Adebayo 1000_Ola",
          "STRASSE İpek",
        ],
      ],
    );
    const db = openDatabase(around.databaseUrl);
    for (const [payer, count] of [
      ["adébáyò", 2],
      ["ọLÁ ADE\u0301", 2],
      ["0%_", 2],
      ["0_", 1],
      ["ADEBAYO", 1],
      ["straße", 0],
      ["İPEK strasse", 1],
    ] as const)
      expect((await found(db, { payer }, 50)).ids, payer).toHaveLength(count);
  });

  it("finds them among more of one moment than a statement examines", async () => {
    const around = await surroundings();
    await fill(around, 45_000, "timestamptz '2026-10-01'");
    const db = openDatabase(around.databaseUrl);
    expect((await found(db, { payer: "okafor" }, 20)).ids).toHaveLength(45);
  });
});

describe("invoice-relay certificate", () => {
  it("lists what was made, and shows one as it was made; exit code 1 unless it is equal", async () => {
    const around = await surroundings();
    const environment = around.environment();
    const id = randomUUID();
    const document = {
      id,
      source: "default",
      result: "refused",
      refusals: ["The list contradicts itself."],
      scope: "source",
      collections: [{ id: randomUUID(), name: "Term 1" }],
      from: "2026-10-01T00:00:00.000Z",
      to: "2026-11-01T00:00:00.000Z",
      madeAt: "2026-11-01T01:00:00.000Z",
      basis: {
        listFirst: "2026-09-01",
        listLast: "2026-11-01",
        lookbackDays: 35,
        zone: "UTC",
        providerTimeZone: "UTC",
        paidStatuses: ["Paid"],
        begunAt: "2026-11-01T00:30:00.000Z",
        pages: 1,
        listed: 0,
        asked: 0,
        deep: false,
        provisional: true,
        firstServedAt: null,
      },
      days: [],
      total: {
        ...Object.fromEntries(
          ["paid", "stored", "published", "missing"].map((name) => [name, { count: 0, amount: "0.00" }]),
        ),
        differences: 0,
      },
      test: { count: 0, amount: "0.00" },
      foreign: { count: 0, amount: "0.00" },
      currency: "NGN",
      gaps: 0,
      differencesInAll: 0,
      differences: [],
    };
    await around.query(
      `insert into certificate (id, source, window_from, window_to, collection_ids, state, finished_at,
        result, gaps, paid, paid_amount, document)
       values ($1, 'default', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z', '{}', 'done', now(), 'refused',
         0, 0, 0, $2)`,
      [id, JSON.stringify(document)],
    );
    const list = await runCli(["certificate", "list"], environment);
    expect(list.stdout).toMatch(new RegExp(`${id} +default +all 0 +2026-10-01 +2026-10-31 .* refused +0`));
    expect((await runCli(["certificate", "list", "--result", "equal"], environment)).stdout).toContain(
      "No certificate matches these filters.",
    );
    const shown = await runCli(["certificate", "show", id], environment);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain("REFUSED: this proves nothing.");
    expect(shown.stdout).toContain("lists of 2026-09-01 to 2026-11-01, read from 2026-11-01T00:30:00.000Z");
    expect(JSON.parse((await runCli(["certificate", "show", id, "--json"], environment)).stdout)).toEqual(
      document,
    );
    expect((await runCli(["certificate", "show", randomUUID()], environment)).code).toBe(3);
  });
});
