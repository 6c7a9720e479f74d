import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { readSource, registerUpstreams, UnknownIds } from "../../../src/platform/upstreams/index.ts";
import { ownDatabase } from "../../support/database.ts";
import { alarmsOn } from "../../support/test-log.ts";

async function setUp() {
  const { db } = await ownDatabase({ max: 8 });
  await registerUpstreams(db, { sources: ["default"], topics: [] });
  const alarms = alarmsOn(db);
  return {
    db,
    clearQuiet: () => alarms.clearQuiet(),
    seen: () => new UnknownIds({ db, alarms, source: "default" }),
    isFlooded: async () => (await readSource(db, "default")).isFlooded,
    /** As if so much time had passed since the last answer. */
    wait: (time: string) =>
      sql`with moved as (update source set not_found_at = not_found_at - ${time}::interval)
        update alarm set last_raised_at = last_raised_at - ${time}::interval`.execute(db),
    alarms: async () =>
      (await sql`select name, times, cleared_at is null as is_open from alarm`.execute(db)).rows,
  };
}

const times = async (count: number, work: () => Promise<void>) => {
  for (let index = 0; index < count; index += 1) await work();
};

const OPEN = { name: "unknown_ids_flooding", times: 1, is_open: true };

describe("ids that nobody knows", () => {
  it("are a flood once most of the last hundred were not found, counted and told by all processes together", async () => {
    const { seen, isFlooded, alarms } = await setUp();
    const processes = Array.from({ length: 5 }, seen);
    await Promise.all(processes.map((one) => times(10, () => one.note("not_found"))));
    expect([await isFlooded(), await alarms()]).toEqual([false, []]);
    await Promise.all(processes.map((one) => times(10, () => one.note("not_found"))));
    expect([await isFlooded(), await alarms()]).toEqual([true, [{ ...OPEN, times: expect.any(Number) }]]);
  });

  it("are none while as many are found, which costs no write of its own", async () => {
    const { db, seen, isFlooded } = await setUp();
    const here = seen();
    await times(200, async () => {
      await here.note("found");
      await here.note("not_found");
    });
    expect(await isFlooded()).toBe(false);
    const row = () => sql`select xmin, unknown_answers from source`.execute(db);
    const { rows } = await row();
    await times(60, () => here.note("found"));
    expect((await row()).rows).toEqual(rows);
    // What was found meanwhile counts before it.
    await times(41, () => here.note("not_found"));
    expect(await isFlooded()).toBe(false);
  });

  it("of a flood that another process saw are forgotten by what is found in this one, its earlier answers too", async () => {
    const { seen, isFlooded } = await setUp();
    const here = seen();
    await times(30, () => here.note("found"));
    const other = seen();
    await times(100, () => other.note("not_found"));
    await times(29, () => here.note("found"));
    expect(await isFlooded()).toBe(true);
    here.saw(true);
    await here.note("found");
    expect(await isFlooded()).toBe(false);
  });

  it("of a flood are forgotten by time, and its alarm ends, when ten minutes brought no further one", async () => {
    const { seen, isFlooded, wait, clearQuiet, alarms } = await setUp();
    const here = seen();
    await times(100, () => here.note("not_found"));
    await wait("9 minutes");
    await clearQuiet();
    expect([await isFlooded(), await alarms()]).toEqual([true, [OPEN]]);
    await here.note("not_found");
    await wait("9 minutes");
    await clearQuiet();
    expect([await isFlooded(), await alarms()]).toEqual([true, [{ ...OPEN, times: 2 }]]);
    await wait("1 minute");
    await clearQuiet();
    expect([await isFlooded(), await alarms()]).toEqual([false, [{ ...OPEN, times: 2, is_open: false }]]);
    await here.note("not_found");
    expect(await isFlooded()).toBe(false);
  });
});
