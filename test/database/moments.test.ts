import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { claimAlarmsToNotify } from "../../src/alarms/alarms-to-notify.ts";
import { shareBudgets } from "../../src/receive/caller/callback-budgets.ts";
import { claimReplay, endLostReplayLeases } from "../../src/replay/replay-rows.ts";
import {
  nextScoutTurnIn,
  registerUpstreams,
  takeScoutTurn,
  takeTurn,
} from "../../src/upstreams/source-row.ts";
import { bringUpstreamsForward } from "../../src/upstreams/upkeep.ts";
import { noteChores } from "../../src/work/failing-chores.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { ownDatabase } from "../support/database.ts";
import { alarmsOn } from "../support/test-log.ts";

const LEASE = leaseOf(15_000);
const ALARM = { name: "callback_refused", source: "default", subject: "hmac", detail: "refused" } as const;

async function house() {
  const { db } = await ownDatabase({ max: 2 });
  await registerUpstreams(db, { sources: ["default"], topics: [] });
  const alarms = alarmsOn(db);
  return { db, alarms };
}

/** As a step of ten minutes back leaves it. */
const ahead = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} + interval '10 min'`;

describe("moments that lie further ahead than their kind ever waits count as now (G11)", () => {
  it("people are told of alarms, and what was quiet before the step ends", async () => {
    const { db, alarms } = await house();
    await sql`insert into alarm (name, source, subject, detail) values
      (${ALARM.name}, ${ALARM.source}, ${ALARM.subject}, ${ALARM.detail})`.execute(db);
    expect(await claimAlarmsToNotify(db, { most: 1, lease: LEASE })).toMatchObject({ alarms: [ALARM] });
    expect(await claimAlarmsToNotify(db, { most: 1, lease: LEASE })).toBeNull();
    await sql`update alarm_telling set ${ahead("next_at")}`.execute(db);
    expect(await claimAlarmsToNotify(db, { most: 1, lease: LEASE })).toMatchObject({ alarms: [ALARM] });
    await sql`update alarm set ${ahead("last_raised_at")}`.execute(db);
    await alarms.clearQuiet();
    expect((await sql`select 1 from alarm where cleared_at is null`.execute(db)).rows).toEqual([]);
  });

  it("a chore that fails is told of as long after the step as before it", async () => {
    const { db } = await house();
    const failed = [{ chore: "history", toldAfter: "1 hour", error: "it says no" }];
    await noteChores(db, { failed, done: [] });
    await sql`update failing_chore set ${ahead("failing_since")}`.execute(db);
    await noteChores(db, { failed, done: [] });
    expect((await sql`select 1 from failing_chore where failing_since > now()`.execute(db)).rows).toEqual([]);
  });

  it("lists are read, in a flood too", async () => {
    const { db } = await house();
    await sql`update source set allowance = 1, unknown_share = 1`.execute(db);
    expect(await takeTurn(db, "default", 1)).toMatchObject({ granted: true });
    await nextScoutTurnIn(db, "default", LEASE.ms);
    await sql`update source set ${ahead("list_at")}, ${ahead("scout_at")}, allowance = 1`.execute(db);
    expect(await takeTurn(db, "default", 1)).toMatchObject({ granted: true });
    expect(await takeScoutTurn(db, "default", LEASE.ms, sql`true`)).not.toBeNull();
  });

  it("an operator's pause ends when the operator said", async () => {
    const { db } = await house();
    await sql`update source set paused_by = 'operator', paused_at = now(),
      paused_until = now() + interval '2 days'`.execute(db);
    await bringUpstreamsForward(db);
    const kept = sql`select 1 from source where paused_until > now() + interval '1 day'`;
    expect((await kept.execute(db)).rows).toHaveLength(1);
  });

  it("a Retry-After is kept, and what is longer than any ends", async () => {
    const { db } = await house();
    const wait = async () =>
      (
        await sql<{ s: number }>`
        select round(extract(epoch from opens_at - now()))::int as s from source`.execute(db)
      ).rows[0]?.s;
    const held = (by: string) => sql`
      update source set opens_at = now() + ${by}::interval, retry_at = now() + ${by}::interval`;
    await held("14 min").execute(db);
    await bringUpstreamsForward(db);
    expect(await wait()).toBeGreaterThan(13 * 60);
    await held("16 min").execute(db);
    await bringUpstreamsForward(db);
    await bringUpstreamsForward(db);
    expect(await wait()).toBeLessThanOrEqual(0);
  });

  it("a replay that a dead process held is taken up", async () => {
    const { db } = await house();
    await sql`insert into replay (id, rate, matching, kind, requested_by, filters, target)
      values (gen_random_uuid(), 1, 0, 'confirmations', 'test', '{}', '{"kind":"provider"}')`.execute(db);
    const claim = () => claimReplay(db, { anyOf: "confirmations" }, LEASE);
    expect(await claim()).not.toBeNull();
    await endLostReplayLeases(db, LEASE);
    expect(await claim()).toBeNull();
    await sql`update replay set ${ahead("claimed_until")}`.execute(db);
    await endLostReplayLeases(db, LEASE);
    expect(await claim()).not.toBeNull();
  });

  it("a budget that was spent before the step does not grow", async () => {
    const { db } = await house();
    const spent = [{ key: "token a", bytes: 0.5, callbacks: 0, ids: 0 }];
    await shareBudgets(db, spent);
    await sql`update callback_budget set ${ahead("counted_at")}`.execute(db);
    const [after] = await shareBudgets(db, spent);
    expect(after?.bytes).toBeCloseTo(1, 3);
  });
});
