import { describe, expect, it } from "vitest";
import { forgetAsked } from "../../../src/pipeline/reconcile/certificate/asked-payment.ts";
import { keepWholeReading } from "../../../src/pipeline/reconcile/list/listed-rows.ts";
import { forgetListWork } from "../../../src/pipeline/reconcile/runs.ts";
import { maxRowsOf } from "../../support/max-rows.ts";
import { type Harness, startHarness } from "../../support/relay.ts";

/** More than any statement may take away at once. */
const MANY = 50_000;
const MOST = 21_000;

const CERTIFICATE = "00000000-0000-0000-0000-000000000001";

/** What Postgres knows of the tables when it plans: autovacuum runs at any time, or not at all. */
const KNOWN = ["select 1", "vacuum listed_payment, asked_payment", "vacuum analyze"];

const count = async ({ query }: Harness, table: string) =>
  (await query<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count;

/** A certificate that was made two hours ago, or is not made, and what it asked about. */
async function withAsked(made: boolean): Promise<Harness> {
  const harness = await startHarness();
  await harness.query(
    `insert into certificate (id, source, window_from, window_to, collection_ids, created_at, state,
       document, gaps, result, finished_at)
     select $1, 'default', now(), now(), '{}', now() - interval '2 days', case when made then 'done' else 'due' end,
       case when made then '{}'::json end, case when made then 0 end, case when made then 'equal' end,
       case when made then now() - interval '2 hours' end
     from (select $2::boolean as made) as given`,
    [CERTIFICATE, made],
  );
  await harness.query(
    "insert into asked_payment (certificate_id, invoice_id) select $1, gen_random_uuid() from generate_series(1, $2)",
    [CERTIFICATE, MANY],
  );
  return harness;
}

describe("what lists showed and a certificate asked is forgotten some thousand rows at a time (G11)", () => {
  it.each(KNOWN)("payments that no list shows any longer (%s)", async (vacuum) => {
    const harness = await startHarness();
    await harness.query(
      `insert into listed_payment (source, invoice_id, collection_id, seen_at, counted, digest)
       select 'default', gen_random_uuid(), gen_random_uuid(), now() - interval '3 days', true, ''
       from generate_series(1, ${MANY})`,
    );
    await harness.query(vacuum);
    const key = { source: "default", collectionId: CERTIFICATE };
    const read = { readAt: new Date(), dates: null };
    expect(await maxRowsOf(harness.databaseUrl, (db) => keepWholeReading(db, key, read))).toBeLessThan(MOST);
    expect(await count(harness, "listed_payment")).toBe(0);
  });

  it.each(KNOWN)("the lists of a certificate that was made (%s)", async (vacuum) => {
    const harness = await withAsked(true);
    await harness.query(vacuum);
    expect(await maxRowsOf(harness.databaseUrl, (db) => forgetAsked(db, CERTIFICATE))).toBeLessThan(MOST);
    expect(await count(harness, "asked_payment")).toBe(0);
  });

  it("the lists of one that nobody cleaned up, once it is made", async () => {
    const harness = await withAsked(true);
    expect(await maxRowsOf(harness.databaseUrl, forgetListWork)).toBeLessThan(MOST);
    expect(await count(harness, "asked_payment")).toBe(0);
    const unmade = await withAsked(false);
    await maxRowsOf(unmade.databaseUrl, forgetListWork);
    expect(await count(unmade, "asked_payment")).toBe(MANY);
  });
});
