import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Clocks, ClockWatch, stepsBetween } from "../../src/work/clock-watch.ts";
import { RelayProcess } from "../../src/work/relay-process.ts";
import { ownDatabase } from "../support/database.ts";
import { alarmsOn } from "../support/test-log.ts";

const READ: Clocks = { even: 0, postgres: 0, own: 0, tookMs: 1 };
const MINUTE_MS = 60_000;

async function watched({ compares = true } = {}) {
  const { db } = await ownDatabase();
  onTestFinished(() => void vi.useRealTimers());
  const alarms = alarmsOn(db);
  const watch = new ClockWatch({ alarms, compares });
  const told = async () =>
    (await sql<{ detail: string }>`select detail from alarm where name = 'clock_stepped'`.execute(db)).rows;
  return { db, alarms, watch, told };
}

describe("a clock that was set", () => {
  it.each<[string, Partial<Clocks>, ReturnType<typeof stepsBetween>]>([
    ["all went on alike", {}, { postgres: 0, own: 0 }],
    ["Postgres' was set back", { postgres: -9 * MINUTE_MS }, { postgres: -10 * MINUTE_MS, own: 0 }],
    ["the own was set forward", { own: 3 * MINUTE_MS }, { postgres: 0, own: 2 * MINUTE_MS }],
    ["Postgres took its time", { postgres: MINUTE_MS + 40_000, tookMs: 40_000 }, { postgres: 0, own: 0 }],
  ])("is told from one that goes on: %s", (_, changed, expected) => {
    const later = { ...READ, even: MINUTE_MS, postgres: MINUTE_MS, own: MINUTE_MS, ...changed };
    expect(stepsBetween(READ, later)).toEqual(expected);
  });

  it("is told, and ends by itself an hour later", async () => {
    const { db, alarms, watch, told } = await watched();
    await watch.look(db);
    expect(await told()).toEqual([]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 10 * MINUTE_MS });
    await watch.look(db);
    expect(await told()).toEqual([
      { detail: expect.stringMatching(/relay's host was set back by 10 min\b/) },
    ]);
    await alarms.clearQuiet();
    await sql`update alarm set last_raised_at = now() - interval '61 min'`.execute(db);
    await alarms.clearQuiet();
    const open = sql`select 1 from alarm where cleared_at is null`;
    expect((await open.execute(db)).rows).toEqual([]);
  });

  it("is told where nobody saw it: a process said that it lives, at a moment that is still to come", async () => {
    const { db, watch, told } = await watched({ compares: false });
    await new RelayProcess(db, { http: true, workers: true, serves: { sources: {}, topics: [] } }).beat();
    await watch.look(db);
    expect(await told()).toEqual([]);
    await sql`update relay_process set seen_at = seen_at + interval '1 day'`.execute(db);
    await watch.look(db);
    await watch.look(db);
    expect(await told()).toEqual([
      { detail: expect.stringMatching(/^Postgres' clock was set back by 86\d\d\d s/) },
    ]);
  });
});
