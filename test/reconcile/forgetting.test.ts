import { describe, expect, it } from "vitest";
import type { Database } from "../../src/database/tables.ts";
import { forgetAsked } from "../../src/reconcile/certificate/asked-payment.ts";
import { forgetAbandoned } from "../../src/reconcile/leftovers.ts";
import { keepWholeReading } from "../../src/reconcile/list/listed-rows.ts";
import { maxRowsOf } from "../support/max-rows.ts";
import { type Harness, startHarness } from "../support/relay.ts";

/** More than any statement may take away at once. */
const MANY = 50_000;
const MOST = 21_000;

const CERTIFICATE = "00000000-0000-0000-0000-000000000001";

/** What Postgres knows of the tables when it plans: autovacuum runs at any time, or not at all. */
const KNOWN = ["select 1", "vacuum listed_payment, asked_payment", "vacuum analyze"];

const count = async (harness: Harness, table: string) =>
  (await harness.query<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count;

async function listed(harness: Harness, state: { due: boolean }): Promise<void> {
  await harness.query(
    `insert into certificate (id, source, window_from, window_to, collection_ids, created_at, state,
       document, gaps, result, finished_at)
     select $1, 'default', now(), now(), '{}', now() - interval '2 days', $2::text,
       case when $2::text = 'done' then '{}'::json end, case when $2::text = 'done' then 0 end,
       case when $2::text = 'done' then 'equal' end, now() - interval '2 hours'`,
    [CERTIFICATE, state.due ? "due" : "done"],
  );
  await harness.query(
    `insert into asked_payment (certificate_id, invoice_id)
     select $1, gen_random_uuid() from generate_series(1, ${MANY})`,
    [CERTIFICATE],
  );
}

describe("what lists showed and a certificate asked is forgotten some thousand rows at a time (G11)", () => {
  it.each(KNOWN)("payments that no list shows any longer (%s)", async (vacuum) => {
    const harness = await startHarness();
    await harness.query(
      `insert into listed_payment (source, invoice_id, collection_id, seen_at, counted, test_only, digest)
       select 'default', gen_random_uuid(), gen_random_uuid(), now() - interval '3 days', true, false, ''
       from generate_series(1, ${MANY})`,
    );
    await harness.query(vacuum);
    const keep = (db: Database) =>
      keepWholeReading(
        db,
        { source: "default", collectionId: CERTIFICATE },
        { readAt: new Date(), dates: null },
      );
    expect(await maxRowsOf(harness.databaseUrl, keep)).toBeLessThan(MOST);
    expect(await count(harness, "listed_payment")).toBe(0);
  });

  it.each(KNOWN)("the lists of a certificate that was made (%s)", async (vacuum) => {
    const harness = await startHarness();
    await listed(harness, { due: false });
    await harness.query(vacuum);
    expect(await maxRowsOf(harness.databaseUrl, (db) => forgetAsked(db, CERTIFICATE))).toBeLessThan(MOST);
    expect(await count(harness, "asked_payment")).toBe(0);
  });

  it.each([
    { due: true, left: 0 },
    { due: false, left: 1 },
  ])("the lists of one that nobody finished or cleaned up ($due)", async ({ due, left }) => {
    const harness = await startHarness();
    await listed(harness, { due });
    expect(await maxRowsOf(harness.databaseUrl, forgetAbandoned)).toBeLessThan(MOST);
    expect(await count(harness, "asked_payment")).toBe(0);
    expect(await count(harness, "certificate")).toBe(left);
  });
});
