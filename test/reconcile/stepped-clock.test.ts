import { describe, expect, it, onTestFinished, vi } from "vitest";
import { dayOf } from "../../src/kit/time.ts";
import { scheduleDaily } from "../../src/reconcile/certificate/certificate-row.ts";
import { certifyPass } from "../../src/reconcile/certificate/certify.ts";
import { readCalendar } from "../../src/reconcile/last-runs.ts";
import { forgetListWork, rescueListWork } from "../../src/reconcile/leftovers.ts";
import { certifyPeriod, readOf } from "../../src/reconcile/on-request.ts";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { readUnprovenDays } from "../../src/reconcile/unproven-days.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { midnight, PAID_AT, place, prove } from "./prove-period.ts";
import { type Books, books, DAY_MS } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

const certifyToday = async ({ context, db, query, source }: Books) => {
  await scheduleDaily(db, source);
  await query("update certificate set due_at = now() where state = 'due'");
  await certifyPass(context, GO_ON);
};

const daysAhead = ({ query }: Books) =>
  query<{ ahead: number; result: string }>(
    "select day - (now() at time zone 'UTC')::date as ahead, result from certificate order by day",
  );

/** What Postgres' own clock does not stamp: the relay that took a callback says when. */
const FOREIGN = ["callback", "callback_default"];

/**
 * Leaves the rows as a step of Postgres' clock does: every moment in them lies `by` further ahead after a
 * step back, and further back (a negative `by`) after one forward.
 * @param by an interval of Postgres
 */
async function stepClockBack({ query }: Books, by: string): Promise<void> {
  const tables = await query<{ name: string; moves: string }>(
    `select c.table_name as name,
       string_agg(format('%1$I = %1$I + %2$L::interval', c.column_name, $1::text), ', ') as moves
     from information_schema.columns as c join information_schema.tables as t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and c.data_type = 'timestamp with time zone' and c.table_name <> all($2)
       and c.table_name !~ '^(callback_\\d|kysely)' group by 1 order by 1`,
    [by, FOREIGN],
  );
  const moves = tables.map(({ name, moves }) => `update ${name} set ${moves};`).join(" ");
  // Logs that take no update are moved all the same.
  await query(`do $$ begin perform set_config('session_replication_role', 'replica', true); ${moves} end $$`);
}

describe("when Postgres' clock was ahead and is set back", () => {
  it("a day that is still to come loses its certificate, and gets one when it is over (G10)", async () => {
    const given = await books();
    await certifyToday(given);
    await given.query(`update certificate set day = day + 1, window_to = window_to + interval '1 day'`);
    // By the relay's clock it is over: Postgres' may be wrong.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    await scheduleDaily(given.db, given.source);
    vi.useRealTimers();
    expect(await daysAhead(given)).toContainEqual({ ahead: 1, result: "equal" });
    await certifyToday(given);
    expect(await daysAhead(given)).toEqual([{ ahead: 0, result: "equal" }]);
  });

  it("a later certificate stays later than one that was made while it was ahead (G10)", async () => {
    const given = await books();
    await place(given);
    expect(await prove(given)).toMatchObject({ result: "equal" });
    await given.query("update certificate set finished_at = finished_at + interval '40 days'");
    await place(given, { came: 0 });
    expect(await prove(given)).toMatchObject({ result: "not_equal" });
    const days = { from: dayOf(PAID_AT), to: dayOf(PAID_AT) };
    const source = { ...given.source, zone: "UTC" };
    expect(await readCalendar(given.db, { ...days, sources: [source] })).toMatchObject([
      { result: "not_equal" },
    ]);
    expect(await readUnprovenDays(given.db, null)).toMatchObject([
      { firstDay: days.from, result: "not_equal" },
    ]);
  });

  it("the next sweep comes in its time, and goes on from the last one", async () => {
    const given = await books();
    const times = { lease: leaseOf(15_000), intervalMs: given.context.intervalMs };
    await sweepPass(given.context, GO_ON);
    await sweepPass(given.context, GO_ON);
    const unproven = JSON.stringify([{ first: "2026-01-01", last: "2026-01-02", why: "it says so" }]);
    await given.query("update sweep set unproven = $1 where state = 'done'", [unproven]);
    await given.query("update sweep set due_at = due_at + interval '1 s' where state = 'due'");
    await stepClockBack(given, "1 day");
    await rescueListWork(given.db, times);
    await forgetListWork(given.db);
    const [due] = await given.query<{ isDue: boolean }>(
      `select due_at <= now() as "isDue" from sweep where state = 'due'`,
    );
    expect(due).toEqual({ isDue: true });
    const [last] = await given.query<{ isPast: boolean }>(
      `select started_at <= now() and window_to <= now() as "isPast" from sweep where state = 'done'`,
    );
    expect(last).toEqual({ isPast: true });
  });
});

describe("while Postgres' clock is a day ahead of the relay's", () => {
  it("a period that is not over by both is refused (G10)", async () => {
    const given = await books();
    const days = { from: dayOf(midnight(3)), to: dayOf(midnight(1)) };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    const made = await certifyPeriod(given.context, { sources: [given.source], ...days, signal: GO_ON });
    expect(readOf(made)).toMatchObject([
      { result: "refused", refusals: [expect.stringContaining("was not over")] },
    ]);
  });
});
