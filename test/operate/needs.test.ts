import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { addCertificate } from "../support/certificates.ts";
import { eventually, toBeGreaterThan, toMatchObject } from "../support/eventually.ts";
import { addAlarm, addConfirmation, addEvents, addProcess } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";
import { unpaidAnswer } from "../support/scripted-provider.ts";
import { withStatus } from "./with-status.ts";

async function withNeeds() {
  const given = await withStatus();
  return {
    ...given,
    raise: (name: string, subject: string) => addAlarm(given.harness, name, subject, { ago: "1 minute" }),
    severities: async () => (await given.status()).needs.map(({ severity }) => severity),
  };
}

const WAITING = { state: "due", settled_at: null, verdict: null };

describe("what needs a person", () => {
  it("is one line a cause, counted once, and what holds up a topic stands first", async () => {
    const { harness, raise, status } = await withNeeds();
    for (let index = 0; index < 13; index++)
      await raise("invoice_quarantined", await addConfirmation(harness, { verdict: "quarantined" }));
    await addEvents(harness, 6, { state: "dead" });
    for (let index = 0; index < 6; index++) await raise("event_dead", randomUUID());
    await raise("unknown_ids_flooding", "default");
    await raise("topic_paused", "arn:aws:sns:eu-west-1:1:topic");
    const known = { oldestAt: expect.any(Date), newestAt: expect.any(Date) };
    expect((await status()).needs).toMatchObject([
      { alarm: "topic_paused", severity: "critical", count: 1, ...known },
      { alarm: "unknown_ids_flooding", severity: "warning", count: 1, ...known },
      { alarm: "event_dead", severity: "critical", count: 6, ...known },
      { alarm: "invoice_quarantined", severity: "warning", count: 13, ...known },
    ]);
  });

  it("names what an alarm is about in what to do, and leaves its place open for several", async () => {
    const { raise, status } = await withNeeds();
    const id = randomUUID();
    const isNamed = async () => (await status()).needs.map(({ action }) => action.includes(id));
    await raise("invoice_anomaly", id);
    expect(await isNamed()).toEqual([true]);
    await raise("invoice_anomaly", randomUUID());
    expect(await isNamed()).toEqual([false]);
  });

  it("is a relay that was stopped, or has no workers or no HTTP, whatever waits", async () => {
    const { harness, query, severities } = await withNeeds();
    expect(await severities()).toEqual([]);
    for (const [change, expected] of [
      [() => query("insert into source (name) values ('default')"), ["critical"]],
      [() => addProcess(harness, { workers: false }), ["critical"]],
      [() => addConfirmation(harness, WAITING), ["critical"]],
      [() => query("delete from confirmation"), ["critical"]],
      [() => addProcess(harness), []],
      [() => query("delete from relay_process where not workers"), []],
      [() => query("update relay_process set http = false"), ["critical"]],
      // What takes them on Lambda is seen by nobody.
      [() => query("update relay_process set beat_ms = 60000"), []],
    ] as const) {
      await change();
      expect(await severities(), String(change)).toEqual(expected);
    }
  });

  it("is work that only fails, as one with what waits behind it, and with what to do", async () => {
    const { harness, query, status } = await withStatus();
    await query("insert into source (name) values ('default')");
    await addProcess(harness);
    await addConfirmation(harness, WAITING);
    // A sweep keeps no payment from its answer; what gives back leases does.
    for (const [worker, count] of [
      ["sweep", 2],
      ["rescue", 1],
    ] as const) {
      const problem = JSON.stringify({ worker, reason: "a lock", action: "End it." });
      await query("update relay_process set recording_problem = $1", [problem]);
      const { needs } = await status();
      expect(needs).toHaveLength(count);
      expect(needs[0]?.what).toContain(worker);
      expect(needs[0]?.action).toContain("End it.");
    }
  });

  it("is a source of the settings that no process was started with", async () => {
    const { harness, status } = await withStatus();
    const sources = ["default", "shop"].map(
      (name) => ({ name, reconciliation: "none", collectionIds: [] }) as const,
    );
    await addProcess(harness, { sources: '{"default": []}' });
    const { needs } = await status({ sources });
    expect(needs).toMatchObject([{ severity: "critical", what: expect.stringContaining("shop") }]);
    await addProcess(harness, { host: "relay-2", sources: '{"shop": []}' });
    expect((await status({ sources })).needs).toEqual([]);
  });

  it("is a process that fell silent, for ten minutes, as long as none that lives has all of its work", async () => {
    const { harness, query, severities } = await withNeeds();
    await addProcess(harness, { ago: "5 s", host: "gone", sources: '{"default": []}' });
    const since = (ago: string) =>
      query("update relay_process set seen_at = now() - $1::interval where host = 'gone'", [ago]);
    expect(await severities()).toEqual([]);
    // After three beats.
    await since("16 s");
    expect(await severities()).toEqual(["critical"]);
    await addProcess(harness);
    await since("9 min");
    expect(await severities()).toHaveLength(1);
    await since("10 min");
    expect(await severities()).toEqual([]);
    await since("16 s");
    await query("update relay_process set serves = (select serves from relay_process where host = 'gone')");
    expect(await severities()).toEqual([]);
  });

  it("is a list that was never read, and a daily certificate that is late, of sources that are reconciled", async () => {
    const { harness, query, status } = await withStatus();
    await addProcess(harness);
    await query("insert into source (name) values ('shop'), ('gone'), ('apart')");
    const list = randomUUID();
    const sources = [
      { name: "shop", reconciliation: "on", collectionIds: [list] },
      { name: "apart", reconciliation: "none", collectionIds: [] },
    ] as const;
    /** What each need names, once the sources have been served for so long. */
    const named = async (hours: number) => {
      await query("update source set first_served_at = now() - $1 * interval '1 hour'", [hours]);
      const { needs } = await status({ sources, intervalMs: 3_600_000 });
      return needs.map(({ what }) => [list, "2026-10-02", "shop"].find((one) => what.includes(one))).sort();
    };
    expect(await named(3)).toEqual([]);
    for (const hours of [4, 29]) expect(await named(hours)).toEqual([list]);
    expect(await named(31)).toEqual([list, "shop"].sort());
    await query(
      `insert into certificate (id, source, day, window_from, window_to, collection_ids, state, finished_at, result,
         gaps, document)
       select gen_random_uuid(), name, '2026-10-02', '2026-10-01Z', '2026-10-02Z', '{}', 'done', now(), 'equal', 0, '{}'
       from source`,
    );
    expect(await named(3)).toEqual(["2026-10-02"]);
  });
});

it("the age of a backlog counts from the oldest request, however often asking fails, and ends with an answer", async () => {
  const { harness, query, status } = await withStatus();
  const relay = await startRelay(harness.environment());
  const id = randomUUID();
  harness.provider.invoice(id, { status: 500, body: {} });
  await relay.callback({ data: { id } });
  await query("update confirmation set open_since = open_since - interval '13 minutes'");
  const row = async () =>
    (await query<{ faults: number }>("select faults, open_since, state from confirmation"))[0];
  await eventually(async () => (await row())?.faults, toBeGreaterThan(1));
  const { backlog, waiting } = await status();
  expect(backlog.oldestConfirmationSeconds).toBeGreaterThan(780);
  expect(waiting).toMatchObject([{ source: "default", count: 1 }]);
  harness.provider.invoice(id, unpaidAnswer(id));
  await eventually(row, toMatchObject({ open_since: null, state: "due" }));
  expect((await status()).waiting).toEqual([]);
});

it("a day of payment is as the newest certificate says that covers it, by hand or daily", async () => {
  const { harness, status } = await withStatus();
  const [ONE, OTHER] = [randomUUID(), randomUUID()];
  const [BOTH, OCTOBER] = [[ONE, OTHER], ["10-01", "11-01"] as const];
  for (const [madeAt, [from, to], result, collections, expected] of [
    ["10-31T11:00", ["10-01", "10-31"], "equal", BOTH, []],
    // One of a period that was not over says nothing of what was proven, nor of what was found.
    ["10-31T12:00", OCTOBER, "refused", BOTH, []],
    ["10-31T12:02", ["10-01", "10-31"], "refused", BOTH, ["2026-10-01 2026-10-30"]],
    ["10-31T12:04", OCTOBER, "refused", BOTH, ["2026-10-01 2026-10-30"]],
    // Once the last day is over, it tells of that.
    ["11-01", ["10-31", "11-01"], "refused", BOTH, ["2026-10-31 2026-10-31", "2026-10-01 2026-10-30"]],
    ["11-02", OCTOBER, "equal", BOTH, []],
    ["11-03", ["10-10", "10-12"], "refused", [ONE], ["2026-10-10 2026-10-11"]],
    // Of another collection, of fewer days, and of a part of one: none settles it whole.
    ["11-04", OCTOBER, "equal", [OTHER], ["2026-10-10 2026-10-11"]],
    ["11-05", ["10-11", "10-13"], "equal", [ONE], ["2026-10-10 2026-10-10"]],
    ["11-05", ["10-10T12:00", "10-13"], "equal", [ONE], ["2026-10-10 2026-10-10"]],
    ["11-06", OCTOBER, "equal", BOTH, []],
  ] as const) {
    const days = { from: `2026-${from}Z`, to: `2026-${to}Z`, madeAt: `2026-${madeAt}Z` };
    await addCertificate(harness.databaseUrl, { ...days, result, collections });
    const { unproven } = await status();
    expect(unproven.every((one) => one.result === "refused")).toBe(true);
    expect(
      unproven.map(({ firstDay, lastDay }) => `${firstDay} ${lastDay}`),
      madeAt,
    ).toEqual(expected);
  }
});
