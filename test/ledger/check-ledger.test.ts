import { expect, it } from "vitest";
import { buildBatch, buildLedger } from "../../src/ledger/build.ts";
import { checkLedger, readLastCheck, takeDueCheck } from "../../src/ledger/check-ledger.ts";
import { verifyLedger } from "../../src/ledger/verify.ts";
import { takenApart } from "../journeys/interleaved-world.ts";
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

it("a day later is a day later, though Postgres' clock was ahead when it was checked last (G13)", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 5);
  await buildLedger(db);
  await around.query("update ledger set check_at = clock_timestamp()");
  await checkDueLedger(db);
  const ahead = new Date(Date.now() + 40 * 86_400_000).toISOString();
  const checked = JSON.stringify({ ...(await readLastCheck(db)), at: ahead, wholeAt: ahead });
  await around.query("update ledger set checked = $1, check_at = check_at + interval '40 days'", [checked]);
  await around.query("update invoice set status = 'Unpaid'");
  await checkDueLedger(db);
  expect(await around.query("select source from alarm where name = 'ledger_broken'")).toEqual([
    { source: "default" },
  ]);
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
  expect(await checkLedger(db, due, AbortSignal.abort())).toMatch(/stopped before it came further/);
  expect(await readLastCheck(db)).toBeNull();
  expect(await checkLedger(db, due)).toBeNull();
  expect(await readLastCheck(db)).toMatchObject({ whole: true, findingsInAll: 0 });
});

/** Ends a check by this once it has looked so often whether to go on: for each tree, and for each range of rows. */
function endsAfter(looks: number, end: (own: AbortController) => void): AbortSignal {
  const own = new AbortController();
  let left = looks;
  const throwIfAborted = () => {
    left -= 1;
    if (left < 0) end(own);
    own.signal.throwIfAborted();
  };
  return new Proxy(own.signal, {
    get: (signal, name) => (name === "throwIfAborted" ? throwIfAborted : Reflect.get(signal, name, signal)),
  });
}

it("goes on where it was stopped or killed, with what it had found by then, which is told at once (G11, G13)", async () => {
  const { around, db } = await withDatabase();
  for (const days of [20, 10, 1])
    await addPayments(around, 3, { from: new Date(Date.now() - days * 86_400_000) });
  await buildLedger(db);
  const { rows } = await verifyLedger({ db });
  const take = async () => {
    const due = await takeDueCheck(db);
    if (due === null) throw new Error("it is due, and was not taken");
    return due;
  };
  const told = () =>
    around.query("select source, times from alarm where name = 'ledger_broken' and cleared_at is null");
  const turn = (status: string, where: string) =>
    around.query(`update invoice set status = '${status}' where ${where}`);
  await turn("Unpaid", "created_at < now() - interval '15 days'");
  await around.query("update ledger set check_at = clock_timestamp()");
  const first = await take();
  expect(
    await checkLedger(
      db,
      first,
      endsAfter(2 + 2, (own) => own.abort()),
    ),
  ).toBeNull();
  expect(await readLastCheck(db)).toBeNull();
  expect(await told()).toEqual([{ source: "default", times: 1 }]);

  // Behind the place nothing is read again, before it everything.
  await turn("Paid", "true");
  await turn("Unpaid", "created_at > now() - interval '5 days'");
  const killed = endsAfter(2, () => {
    throw new Error("killed");
  });
  await expect(checkLedger(db, await take(), killed)).rejects.toThrow("killed");
  expect(await takeDueCheck(db)).toBeNull();
  await around.query("update ledger set check_at = clock_timestamp()");
  expect(await checkLedger(db, await take())).toBeNull();
  expect(await readLastCheck(db)).toMatchObject({
    ...{ at: first.at.toISOString(), whole: true, wholeAt: first.at.toISOString() },
    ...{ rows, findingsInAll: 6 },
  });
  expect(await told()).toEqual([{ source: "default", times: 2 }]);

  await turn("Paid", "true");
  await around.query("update ledger set check_at = clock_timestamp()");
  expect(await checkLedger(db, await take())).toBeNull();
  expect(await readLastCheck(db)).toMatchObject({ rows, findingsInAll: 0 });
  expect(await told()).toEqual([]);
});

it("that fails is told after a day, whatever was not due in between (G13)", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 1);
  await buildLedger(db);
  const { passes } = await takenApart(around);
  const pass = () => passes.ledgerCheck(new AbortController().signal);
  const due = () => around.query("update ledger set check_at = clock_timestamp()");
  const told = () =>
    around.query(
      "select subject, detail from alarm where name = 'maintenance_failing' and cleared_at is null",
    );
  await around.query("alter table ledger_tile rename to elsewhere");
  await due();
  await pass();
  for (let hour = 1; hour <= 23; hour += 1) {
    // An hour in which it was not due sixty times.
    expect(await told()).toEqual([]);
    await pass();
    await around.query("update failing_chore set failing_since = failing_since - interval '1 hour'");
    await due();
    await pass();
  }
  expect(await told()).toEqual([
    {
      subject: "ledger_check",
      detail: expect.stringMatching(/24 times: relation "ledger_tile" does not exist/),
    },
  ]);
  await around.query("alter table elsewhere rename to ledger_tile");
  await due();
  await pass();
  expect(await told()).toEqual([]);
});

it.each([
  ["warns of nothing", "select", []],
  ["tells of a bug all the same", "alter table ledger rename root to elsewhere", [/"a chore met a bug"/]],
] as const)("that is stopped before it came further is noted, and %s", async (_what, spoil, logged) => {
  const { around, db } = await withDatabase();
  await addPayments(around, 1);
  await buildLedger(db);
  const { passes, warnings } = await takenApart(around);
  await around.query("update ledger set check_at = clock_timestamp()");
  await around.query(spoil);
  await passes.ledgerCheck(AbortSignal.abort());
  expect(await around.query("select name, failures from failing_chore")).toEqual([
    { name: "ledger_check", failures: 1 },
  ]);
  expect(warnings).toEqual(logged.map((line) => expect.stringMatching(line)));
});
