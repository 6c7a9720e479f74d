import { expect, it } from "vitest";
import { buildBatch, buildLedger } from "../../src/ledger/build.ts";
import { checkLedger, readLastCheck, takeDueCheck } from "../../src/ledger/check-ledger.ts";
import { addPayments, checkDueLedger } from "../support/ledgered-rows.ts";
import { withDatabase } from "../support/log-rows.ts";

it("the daily check raises ledger_broken and ends it when everything is right again (G13, G14)", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 5);
  await buildLedger(db);
  const check = async () => {
    await around.query("update ledger set check_at = clock_timestamp()");
    await checkDueLedger(db);
    const alarms = await around.query(
      "select source from alarm where name = 'ledger_broken' and cleared_at is null",
    );
    return { whole: (await readLastCheck(db))?.whole, alarms };
  };
  expect(await check()).toEqual({ whole: true, alarms: [] });
  expect(await check()).toEqual({ whole: false, alarms: [] });
  await around.query(
    "update invoice set status = 'Unpaid', confirmed_at = clock_timestamp() - interval '20 minutes'",
  );
  expect(await check()).toEqual({ whole: false, alarms: [{ source: "default" }] });
  await around.query(
    "update invoice set status = 'Paid', confirmed_at = created_at + interval '123456 microseconds'",
  );
  expect(await check()).toEqual({ whole: true, alarms: [] });
  // Until the next day it is nobody's turn.
  const last = await readLastCheck(db);
  await checkDueLedger(db);
  expect(await readLastCheck(db)).toEqual(last);
});

it("waits until the first reading of a long history is done, and ends when its process stops", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 500);
  expect(await buildBatch(db)).toMatchObject({ state: "more" });
  await around.query("update ledger set check_at = clock_timestamp()");
  expect(await takeDueCheck(db)).toBeNull();
  await buildLedger(db);
  const due = await takeDueCheck(db);
  if (due === null) throw new Error("it is due, and was not taken");
  expect(await checkLedger(db, due, AbortSignal.abort())).toMatch(/stopped before the end/);
  expect(await readLastCheck(db)).toBeNull();
  expect(await checkLedger(db, due)).toBeNull();
  expect(await readLastCheck(db)).toMatchObject({ whole: true, findingsInAll: 0 });
});
