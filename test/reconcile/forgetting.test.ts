import { describe, expect, it } from "vitest";
import { forgetListed } from "../../src/reconcile/certificate/listed-row.ts";
import { forgetAbandoned, forgetSwept } from "../../src/reconcile/leftovers.ts";
import { openDatabase } from "../support/database.ts";
import { maxRowsOf } from "../support/max-rows.ts";
import { type Harness, startHarness } from "../support/relay.ts";

/** More than any statement may take away at once. */
const MANY = 50_000;
const MOST = 21_000;

const CERTIFICATE = "00000000-0000-0000-0000-000000000001";

/** What Postgres knows of the tables when it plans: autovacuum runs at any time, or not at all. */
const KNOWN = ["select 1", "vacuum listed_payment, swept_payment", "vacuum analyze"];

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
    `insert into listed_payment (certificate_id, invoice_id)
     select $1, gen_random_uuid() from generate_series(1, ${MANY})`,
    [CERTIFICATE],
  );
}

describe("what was read for a sweep or a certificate is forgotten some thousand rows at a time (G11)", () => {
  it.each(KNOWN)("the payments of finished sweeps, by pass (%s)", async (vacuum) => {
    const harness = await startHarness();
    await harness.query(
      `with done as (
         insert into sweep (id, collection_id, source, kind, state, finished_at)
         select gen_random_uuid(), gen_random_uuid(), 'default', 'automatic', 'done',
           now() - interval '2 hours' from generate_series(1, 2) returning id)
       insert into swept_payment (sweep_id, invoice_id, missing, opened, called)
       select id, gen_random_uuid(), false, false, false from done, generate_series(1, ${MANY / 2})`,
    );
    await harness.query(vacuum);
    expect(await maxRowsOf(harness.databaseUrl, forgetSwept)).toBeLessThan(MOST);
    const db = openDatabase(harness.databaseUrl);
    for (let passes = 0; passes < 5; passes += 1) await forgetSwept(db);
    expect(await count(harness, "swept_payment")).toBe(0);
  });

  it.each(KNOWN)("the lists of a certificate that was made (%s)", async (vacuum) => {
    const harness = await startHarness();
    await listed(harness, { due: false });
    await harness.query(vacuum);
    expect(await maxRowsOf(harness.databaseUrl, (db) => forgetListed(db, CERTIFICATE))).toBeLessThan(MOST);
    expect(await count(harness, "listed_payment")).toBe(0);
  });

  it.each([
    { due: true, left: 0 },
    { due: false, left: 1 },
  ])("the lists of one that nobody finished or cleaned up ($due)", async ({ due, left }) => {
    const harness = await startHarness();
    await listed(harness, { due });
    expect(await maxRowsOf(harness.databaseUrl, forgetAbandoned)).toBeLessThan(MOST);
    expect(await count(harness, "listed_payment")).toBe(0);
    expect(await count(harness, "certificate")).toBe(left);
  });
});
