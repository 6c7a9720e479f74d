import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { registerUpstreams } from "../../src/upstreams/source-row.ts";
import { endFloods, UnknownIds } from "../../src/upstreams/unknown-ids.ts";
import { ownDatabase } from "../support/database.ts";
import { alarmsOn } from "../support/test-log.ts";

async function house() {
  const { db } = await ownDatabase({ max: 8 });
  await registerUpstreams(db, { sources: ["default"], topics: [] });
  const alarms = alarmsOn(db);
  return {
    db,
    context: { db, alarms },
    seen: () => new UnknownIds({ db, alarms, source: "default" }),
    share: async () =>
      (await sql<{ share: number }>`select unknown_share as share from source`.execute(db)).rows[0]?.share,
    alarms: async () =>
      (await sql`select name, times, cleared_at is null as is_open from alarm`.execute(db)).rows,
  };
}

const times = async (count: number, work: () => Promise<void>) => {
  for (let index = 0; index < count; index += 1) await work();
};

describe("ids that nobody knows", () => {
  it("past half of them are a flood: told once by all processes together, and closed once it is over", async () => {
    const { seen, alarms } = await house();
    const processes = Array.from({ length: 4 }, seen);
    await Promise.all(processes.map((one) => times(10, () => one.note("not_found"))));
    expect(await alarms()).toEqual([{ name: "unknown_ids_flooding", times: 1, is_open: true }]);
    await Promise.all(processes.map((one) => times(20, () => one.note("found"))));
    expect(await alarms()).toEqual([{ name: "unknown_ids_flooding", times: 1, is_open: false }]);
  });

  it("of a flood that nothing keeps up are forgotten by time", async () => {
    const { db, context, seen, share, alarms } = await house();
    await times(40, () => seen().note("not_found"));
    await endFloods(context, ["default"]);
    expect(await alarms()).toMatchObject([{ is_open: true }]);
    await sql`update source set unknown_share_at = unknown_share_at - interval '2 min'`.execute(db);
    await endFloods(context, ["default"]);
    await sql`update source set unknown_share_at = unknown_share_at - interval '1 year'`.execute(db);
    await times(2, () => seen().note("found"));
    expect(await alarms()).toEqual([{ name: "unknown_ids_flooding", times: 1, is_open: false }]);
    expect(await share()).toBeLessThan(0.25);
  });

  it("that come once a minute are no flood", async () => {
    const { db, seen, alarms } = await house();
    for (let minute = 0; minute < 40; minute += 1) {
      await seen().note("not_found");
      await sql`update source set unknown_share_at = unknown_share_at - interval '1 min'`.execute(db);
    }
    expect(await alarms()).toEqual([]);
  });

  it("beside as many known ones are one flood, and not one each second", async () => {
    const { seen, alarms } = await house();
    const here = seen();
    for (let run = 0; run < 12; run += 1) {
      await times(12, () => here.note("not_found"));
      await times(10, () => here.note("found"));
    }
    expect(await alarms()).toMatchObject([{ name: "unknown_ids_flooding", is_open: true }]);
  });

  it("of a flood that another process saw are forgotten by what is found in this one", async () => {
    const { seen, alarms, share } = await house();
    const here = seen();
    await times(3, () => here.note("found"));
    const other = seen();
    await times(40, () => other.note("not_found"));
    expect(await share()).toBeGreaterThan(0.5);
    here.lookAgain();
    await times(60, () => here.note("found"));
    expect(await share()).toBeLessThan(0.1);
    expect(await alarms()).toMatchObject([{ is_open: false }]);
  });

  it("of a flood before a restart are forgotten by what is found after it", async () => {
    const { seen, share } = await house();
    const before = seen();
    await times(40, () => before.note("not_found"));
    const after = seen();
    await times(60, () => after.note("found"));
    expect(await share()).toBeLessThan(0.1);
  });
});
