import { expect, it } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { buildLedger } from "../../src/ledger/build.ts";
import { verifyLedger } from "../../src/ledger/verify.ts";
import { addPayments } from "../support/ledgered-rows.ts";
import { withDatabase } from "../support/log-rows.ts";
import { howMany } from "./how-many.ts";

/** Leaves of a payment as it nearly always is: callback, answer, verdict, event, acceptance. */
const PER_PAYMENT = 5;

it("many leaves are built and verified, within about a tenth of the disk of their payments", {
  timeout: 1_800_000,
}, async () => {
  const { around, db } = await withDatabase();
  const payments = howMany(20_000, 200_000);
  for (let at = 0; at < payments; at += 10_000)
    await addPayments(around, 10_000, { from: new Date(Date.now() - (payments - at + 600) * 1_000) });
  await around.query("delete from certificate");
  await around.query("delete from audit_entry");
  await around.query("delete from invoice_snapshot");
  await around.query("vacuum analyze");
  const began = performance.now();
  const [before] = await around.query<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn");
  const leaves = (await buildLedger(db)) ?? 0;
  const built = performance.now();
  const [written] = await around.query<{ wal: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::text as wal",
    [before?.lsn],
  );
  // Old versions stay as long as anybody's snapshot, an ANALYZE's by chance.
  await around.query("vacuum full ledger");
  await around.query("vacuum full ledger_tile");
  const [kept] = await around.query<{ disk: string }>(
    "select (pg_total_relation_size('ledger') + pg_total_relation_size('ledger_tile'))::text as disk",
  );
  const from = performance.now();
  const report = await verifyLedger({ db });
  const verified = performance.now();
  expect(report).toMatchObject({ findings: [], rows: leaves });
  expect(leaves).toBe(payments * PER_PAYMENT);
  const perPayment = (bytes: string | undefined) => Math.round(Number(bytes) / payments);
  process.stdout.write(
    `${JSON.stringify({
      leaves,
      secondsToBuildAMillion: ((built - began) / leaves) * 1_000,
      rowsVerifiedAMinute: Math.round((report.rows / (verified - from)) * 60_000),
      walAPayment: perPayment(written?.wal),
      diskAPayment: perPayment(kept?.disk),
      heapMiB: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
    })}\n`,
  );
  // A payment takes 4.7 KB of disk (docs/performance.md).
  expect(perPayment(kept?.disk)).toBeLessThan(470);
});

it("reads rows without a leaf some times over, however many they are (G12)", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 1, { from: new Date(Date.now() - 40 * 86_400_000) });
  await buildLedger(db);
  const rows = 120_000;
  await around.query(
    `insert into invoice (id, source, created_at, asked_at, confirmed_at, status, digest, document)
     select gen_random_uuid(), 'default', at, at, at, 'Paid', md5(n::text), json_build_object('title', repeat('x', 1000))
     from (select n, now() - interval '1 hour' - n * interval '25 seconds' as at from generate_series(${rows}, 1, -1) as n) as made`,
  );
  await around.query("vacuum analyze invoice");
  const read = async () =>
    Number(
      (
        await around.query(
          "select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'invoice'",
        )
      )[0]?.read,
    );
  const before = await read();
  const { db: own, close } = connect(new Secret(around.databaseUrl), { max: 1, applicationName: "verifier" });
  expect(await verifyLedger({ db: own })).toMatchObject({ findingsInAll: rows });
  await close();
  // What a session read is counted for all to see once it has ended.
  await expect
    .poll(() => around.query("select from pg_stat_activity where application_name = 'verifier'"))
    .toEqual([]);
  const timesOver = ((await read()) - before) / rows;
  process.stdout.write(`${JSON.stringify({ timesOver })}\n`);
  expect(timesOver).toBeGreaterThan(1);
  expect(timesOver).toBeLessThan(8);
});
