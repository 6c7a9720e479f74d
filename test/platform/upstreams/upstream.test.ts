import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { Alarms } from "../../../src/platform/alarms/alarms.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { change, readUpstreamRow, type VersionedUpstream } from "../../../src/platform/upstreams/change.ts";
import { transition } from "../../../src/platform/upstreams/machine.ts";
import { Upstream } from "../../../src/platform/upstreams/upstream.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "../../../src/platform/upstreams/upstream-kind.ts";
import { registerUpstreams } from "../../../src/platform/upstreams/upstream-rows.ts";
import { ownDatabase } from "../../support/database.ts";
import { keptLog } from "../../support/test-log.ts";

const NAMES = { source: "default", topic: "arn:aws:sns:us-east-1:000000000000:events" };
const error = "it said no";

/** A database with one source and one topic, and as many processes' views of either as a test wants. */
async function setUp(kind: UpstreamKind) {
  const { db } = await ownDatabase({ max: 8 });
  await registerUpstreams(db, { sources: [NAMES.source], topics: [NAMES.topic] });
  const name = NAMES[kind.table];
  const { lines, log } = keptLog();
  const alarms = new Alarms({ db, log, metrics: createMetrics() });
  const set = (assignments: string) => sql`${sql.raw(`update ${kind.table} set ${assignments}`)}`.execute(db);
  return {
    db,
    name,
    lines,
    set,
    /** The upstream as another process sees it. */
    seen: () => new Upstream({ db, alarms, kind, name }),
    standing: async () => (await readUpstreamRow(db, kind, name)) as VersionedUpstream,
    alarms: async () =>
      (await sql`select name, times, cleared_at is null as is_open from alarm`.execute(db)).rows,
  };
}

describe.each([SOURCE, TOPIC])("a $table", (kind) => {
  it("that several processes see at once loses no failure, and opens one alarm", async () => {
    const { seen, standing, alarms, lines } = await setUp(kind);
    const processes = Array.from({ length: 6 }, seen);
    await Promise.all(
      processes.flatMap((upstream) =>
        Array.from({ length: 10 }, () => upstream.note({ kind: "failed", times: 1, error })),
      ),
    );
    expect(await standing()).toMatchObject({ faults: 60, pausedBy: null });
    expect(await alarms()).toEqual([{ name: kind.alarms.failing, times: 1, is_open: true }]);
    expect(lines.filter(({ alarm }) => alarm === kind.alarms.failing)).toHaveLength(1);
    await Promise.all(processes.map((upstream) => upstream.note({ kind: "works" })));
    expect(await standing()).toMatchObject({ faults: 0, opensInMs: 0 });
    expect(await alarms()).toEqual([{ name: kind.alarms.failing, times: 1, is_open: false }]);
    expect(lines.filter(({ alarmCleared }) => alarmCleared === kind.alarms.failing)).toHaveLength(1);
  });

  it("has its alarms written with the change or not at all (G13)", async () => {
    const { db, seen, standing, alarms, lines } = await setUp(kind);
    await sql`alter table alarm add constraint no_room check (false) not valid`.execute(db);
    const before = await standing();
    await expect(seen().note({ kind: "refused", error })).rejects.toThrow("no_room");
    expect(await standing()).toMatchObject({ pausedBy: null, version: before.version });
    expect(lines).toEqual([]);
    await sql`alter table alarm drop constraint no_room`.execute(db);
    await seen().note({ kind: "refused", error });
    expect(await standing()).toMatchObject({ pausedBy: "refused", version: before.version + 1 });
    expect(await alarms()).toHaveLength(1);
  });

  it("keeps its alarms open when the change that closes them fails (G13)", async () => {
    const { db, seen, standing, alarms } = await setUp(kind);
    await seen().note({ kind: "refused", error });
    await sql`alter table alarm add constraint stays check (cleared_at is null)`.execute(db);
    await expect(seen().note({ kind: "works" })).rejects.toThrow("stays");
    expect(await standing()).toMatchObject({ pausedBy: "refused" });
    expect(await alarms()).toMatchObject([{ is_open: true }]);
  });
});

describe("a change", () => {
  it("that was decided on old facts is not written", async () => {
    const { db, name, standing, seen, alarms } = await setUp(SOURCE);
    const before = await standing();
    const refusal = transition(before, { kind: "refused", error }, SOURCE.policy, 1);
    if (refusal === null) throw new Error("a refusal changes a source that is closed");
    await seen().note({ kind: "failed", times: 1, error });
    expect(await change(db, SOURCE, name, before, refusal)).toBeNull();
    expect(await standing()).toMatchObject({ pausedBy: null, faults: 1 });
    expect(await alarms()).toEqual([]);
  });

  it("that the database could not write is not forgotten", async () => {
    const { db, seen, standing } = await setUp(TOPIC);
    const upstream = seen();
    await sql`alter table topic add constraint no_refusal check (paused_by is null)`.execute(db);
    await expect(upstream.note({ kind: "refused", error })).rejects.toThrow("no_refusal");
    await sql`alter table topic drop constraint no_refusal`.execute(db);
    await upstream.note({ kind: "failed", times: 1, error });
    expect(await standing()).toMatchObject({ pausedBy: "refused", faults: 1 });
  });
});
