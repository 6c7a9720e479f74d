import { describe, expect, it } from "vitest";
import { forgetListed } from "../../src/reconcile/certificate/listed-row.ts";
import { forgetAbandoned, forgetSwept } from "../../src/reconcile/leftovers.ts";
import { openDatabase } from "../support/database.ts";
import { mostRowsOf } from "../support/most-rows.ts";
import { type Surroundings, surroundings } from "../support/relay.ts";

/** More than any statement may take away at once. */
const MANY = 50_000;
const MOST = 21_000;

const CERTIFICATE = "00000000-0000-0000-0000-000000000001";

/** What Postgres knows of the tables when it plans: autovacuum runs at any time, or not at all. */
const KNOWN = ["select 1", "vacuum listed_payment, swept_payment", "vacuum analyze"];

const count = async (around: Surroundings, table: string) =>
  (await around.query<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count;

async function listed(around: Surroundings, state: { due: boolean }): Promise<void> {
  await around.query(
    `insert into certificate (id, source, window_from, window_to, collection_ids, created_at, state,
       document, gaps, result, finished_at)
     select $1, 'default', now(), now(), '{}', now() - interval '2 days', $2::text,
       case when $2::text = 'done' then '{}'::json end, case when $2::text = 'done' then 0 end,
       case when $2::text = 'done' then 'equal' end, now() - interval '2 hours'`,
    [CERTIFICATE, state.due ? "due" : "done"],
  );
  await around.query(
    `insert into listed_payment (certificate_id, invoice_id)
     select $1, gen_random_uuid() from generate_series(1, ${MANY})`,
    [CERTIFICATE],
  );
}

describe("what was read for a sweep or a certificate is forgotten some thousand rows at a time (G11)", () => {
  it.each(KNOWN)("the payments of finished sweeps, by pass (%s)", async (vacuum) => {
    const around = await surroundings();
    await around.query(
      `with done as (
         insert into sweep (id, collection_id, source, kind, state, finished_at)
         select gen_random_uuid(), gen_random_uuid(), 'default', 'automatic', 'done',
           now() - interval '2 hours' from generate_series(1, 2) returning id)
       insert into swept_payment (sweep_id, invoice_id, missing, opened, called)
       select id, gen_random_uuid(), false, false, false from done, generate_series(1, ${MANY / 2})`,
    );
    await around.query(vacuum);
    expect(await mostRowsOf(around.databaseUrl, forgetSwept)).toBeLessThan(MOST);
    const db = openDatabase(around.databaseUrl);
    for (let passes = 0; passes < 5; passes += 1) await forgetSwept(db);
    expect(await count(around, "swept_payment")).toBe(0);
  });

  it.each(KNOWN)("the lists of a certificate that was made (%s)", async (vacuum) => {
    const around = await surroundings();
    await listed(around, { due: false });
    await around.query(vacuum);
    expect(await mostRowsOf(around.databaseUrl, (db) => forgetListed(db, CERTIFICATE))).toBeLessThan(MOST);
    expect(await count(around, "listed_payment")).toBe(0);
  });

  it.each([
    { due: true, left: 0 },
    { due: false, left: 1 },
  ])("the lists of one that nobody finished or cleaned up ($due)", async ({ due, left }) => {
    const around = await surroundings();
    await listed(around, { due });
    expect(await mostRowsOf(around.databaseUrl, forgetAbandoned)).toBeLessThan(MOST);
    expect(await count(around, "listed_payment")).toBe(0);
    expect(await count(around, "certificate")).toBe(left);
  });
});
