import { expect, it } from "vitest";
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
  await around.query("delete from month");
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
  // A row for each tree, whose old versions stay as long as anybody's snapshot, an ANALYZE's by chance.
  await around.query("vacuum full ledger");
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
  expect(perPayment(kept?.disk)).toBeLessThan(420);
});
