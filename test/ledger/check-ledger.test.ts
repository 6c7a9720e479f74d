import { expect, it } from "vitest";
import { buildLedger } from "../../src/ledger/build.ts";
import { checkLedger, readLastCheck } from "../../src/ledger/check-ledger.ts";
import { addPayments } from "../support/ledgered-rows.ts";
import { withDatabase } from "../support/log-rows.ts";

it("the daily check raises ledger_broken and ends it when everything is right again (G13, G14)", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 5);
  await buildLedger(db);
  const check = async () => {
    await around.query("update ledger set check_at = clock_timestamp()");
    await checkLedger(db);
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
  await checkLedger(db);
  expect(await readLastCheck(db)).toEqual(last);
});
