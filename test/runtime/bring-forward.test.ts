import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openConfirmations } from "../../src/pipeline/confirm/queue/open.ts";
import { registerUpstreams } from "../../src/platform/upstreams/upstream-rows.ts";
import { bringForward, waitsOf } from "../../src/runtime/maintenance.ts";
import { ownDatabase } from "../support/database.ts";

const TIMES = { leaseMs: 15_000, sweepMs: 600_000 };

async function withConfirmations(count: number) {
  const { db } = await ownDatabase();
  await registerUpstreams(db, { sources: ["default"], topics: ["arn:aws:sns:eu-west-1:1:topic"] });
  const toOpen = Array.from({ length: count }, () => ({ invoiceId: randomUUID(), source: "default" }));
  await openConfirmations(db, toOpen, { openedBy: "callback", priority: "unknown" });
  return { db, ids: toOpen.map(({ invoiceId }) => invoiceId).sort() };
}

it("names each moment of a table that work waits for", async () => {
  const { db } = await ownDatabase();
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public'
      and column_name in ('due_at', 'claimed_until', 'opens_at', 'retry_at', 'probe_at', 'list_at', 'next_at',
        'next_unknown_at')
    order by 1`.execute(db);
  const named = waitsOf(TIMES).map(({ table, column }) => `${table}.${column}`);
  expect(named).toEqual(expect.arrayContaining(rows.map(({ name }) => name)));
});

it("whatever a step back of Postgres' clock leaves ahead is due at once (G11)", async () => {
  const { db, ids } = await withConfirmations(3);
  await sql`update confirmation set attempt = 4 where invoice_id = ${ids[1]}`.execute(db);
  await sql`
    update confirmation set state = 'claimed', lease_token = gen_random_uuid(), claimed_until = now()
    where invoice_id = ${ids[2]}`.execute(db);
  await sql`insert into sweep (id, collection_id, source)
    values (gen_random_uuid(), gen_random_uuid(), 'default')`.execute(db);
  for (const { table, column } of waitsOf(TIMES))
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = clock_timestamp() + interval '1 day'`.execute(db);
  await bringForward(db, TIMES);
  const ahead = await Promise.all(
    waitsOf(TIMES).map(async ({ table, column, which = sql`true` }) => {
      const late = sql`select from ${sql.table(table)} where ${which} and ${sql.ref(column)} > clock_timestamp()`;
      return (await late.execute(db)).rows.length;
    }),
  );
  expect(ahead).toEqual(waitsOf(TIMES).map(() => 0));
});

it("nothing that waits as long as it may is brought forward", async () => {
  const { db, ids } = await withConfirmations(2);
  await sql`update confirmation set attempt = 8, due_at = now() + interval '26 h' where invoice_id = ${ids[0]}`.execute(
    db,
  );
  await sql`update source set opens_at = now() + interval '15 min', retry_at = now() + interval '15 min'`.execute(
    db,
  );
  await sql`update topic set probe_at = now() + interval '30 s'`.execute(db);
  expect(await bringForward(db, TIMES)).toBe(0);
});
