import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { noteLateProofs } from "../../src/operations/late-proofs.ts";
import { noteFailingWork, noteSilence } from "../../src/platform/worker/relay-process.ts";
import { addCertificate } from "../support/certificates.ts";
import { eventually, toBeGreaterThan, toMatchObject } from "../support/eventually.ts";
import { addAlarm, addConfirmation, addEvents, addProcess } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";
import { unpaidAnswer } from "../support/scripted-provider.ts";
import { alarmsOn } from "../support/test-log.ts";
import { withStatus } from "./with-status.ts";

const INTERVAL_MS = 3_600_000;

async function withOpen() {
  const given = await withStatus();
  const { harness, query } = given;
  return {
    ...given,
    raise: (name: string, subject: string) => addAlarm(harness, name, subject, { ago: "1 minute" }),
    /** What of this alarm is open. */
    open: (name: string) =>
      query<{ subject: string; detail: string }>(
        "select subject, detail from alarm where name = $1 and cleared_at is null order by 1",
        [name],
      ),
    alarms: alarmsOn(given.db),
  };
}

describe("the first sentence", () => {
  it("tells the gravest alarm, whatever came first; each name is one group, counted, with what to do as data", async () => {
    const { harness, raise, status } = await withOpen();
    for (let index = 0; index < 13; index++)
      await raise("invoice_quarantined", await addConfirmation(harness, { verdict: "quarantined" }));
    await addEvents(harness, 6, { state: "dead" });
    for (let index = 0; index < 6; index++) await raise("event_dead", randomUUID());
    await raise("unknown_ids_flooding", "default");
    await raise("topic_paused", "arn:aws:sns:eu-west-1:1:topic");
    const known = { oldestAt: expect.any(Date), newestAt: expect.any(Date) };
    const { openAlarms, sentence, ...rest } = await status();
    expect(openAlarms).toMatchObject([
      { name: "topic_paused", severity: "critical", count: 1, remedy: null, ...known },
      { name: "event_dead", severity: "critical", count: 6, remedy: { operation: "listDead" }, ...known },
      { name: "unknown_ids_flooding", severity: "warning", count: 1, ...known },
      {
        name: "invoice_quarantined",
        severity: "warning",
        count: 13,
        remedy: { operation: "listQuarantine" },
      },
    ]);
    expect(rest).toMatchObject({ needsPerson: true, isProven: false, actionItems: [] });
    expect(sentence).toContain("arn:aws:sns:eu-west-1:1:topic");
    expect(sentence).toMatch(/\b20 more\b/);
  });

  it("an alarm alone leads to what it is about, several to their list", async () => {
    const { raise, status } = await withOpen();
    const id = randomUUID();
    const remedies = async () => (await status()).openAlarms.map(({ remedy }) => remedy);
    await raise("invoice_anomaly", id);
    expect(await remedies()).toEqual([{ operation: "showInvoice", args: { id } }]);
    await raise("invoice_anomaly", randomUUID());
    expect(await remedies()).toEqual([{ operation: "listAlarms", args: { name: "invoice_anomaly" } }]);
  });

  it("says that all is well only of what is proven now: each list read, each day certified, by who reconciles", async () => {
    const { harness, query, status } = await withOpen();
    const list = randomUUID();
    await query("insert into source (name) values ('default')");
    await addProcess(harness, { sources: `{"default": ["${list}"]}` });
    const settings = {
      sources: [{ name: "default", reconciliation: "on", collectionIds: [list] }],
      intervalMs: INTERVAL_MS,
    } as const;
    const said = async (given: Partial<Parameters<typeof status>[0]> = {}) => {
      const { isProven, needsPerson, sentence } = await status({ ...settings, ...given });
      expect(needsPerson).toBe(false);
      // No word of it where it is not shown.
      expect(/^All is well/.test(sentence), sentence).toBe(isProven);
      return isProven;
    };
    expect(await said()).toBe(false);
    const sweptAt = (ago: string) => query("update sweep set finished_at = now() - $1::interval", [ago]);
    await query(
      `insert into sweep (id, source, collection_id, state, window_from, window_to, started_at, finished_at, due_at)
       values (gen_random_uuid(), 'default', $1, 'done', now(), now(), now(), now(), now())`,
      [list],
    );
    expect(await said()).toBe(false);
    const today = new Date().toISOString().slice(0, 10);
    const days = { from: new Date(Date.parse(today) - 864e5).toISOString(), to: `${today}T00:00:00Z` };
    await addCertificate(harness.databaseUrl, { ...days, day: today, collections: [list] });
    expect(await said()).toBe(true);
    expect(await said({ sources: null })).toBe(true);
    for (const [change, back] of [
      [() => sweptAt("4 hours"), () => sweptAt("1 minute")],
      [() => query("update sweep set finished_at = null"), () => sweptAt("1 minute")],
      [
        () => query("update certificate set window_to = window_to - interval '3 days'"),
        () => query("update certificate set window_to = window_to + interval '3 days'"),
      ],
      [
        () => query("update source set paused_at = now(), paused_by = 'operator'"),
        () => query("update source set paused_at = null, paused_by = null"),
      ],
    ] as const) {
      await change();
      expect(await said(), String(change)).toBe(false);
      await back();
      expect(await said(), String(back)).toBe(true);
    }
    for (const reconciliation of ["none", "on"] as const) {
      const other = {
        name: "other",
        reconciliation,
        collectionIds: reconciliation === "on" ? [randomUUID()] : [],
      };
      await query("update relay_process set serves = jsonb_set(serves, '{sources,other}', '[]')");
      expect(await said({ sources: [...settings.sources, other] })).toBe(false);
    }
    await addCertificate(harness.databaseUrl, {
      ...{ ...days, madeAt: new Date().toISOString(), collections: [list], result: "not_equal" },
    });
    expect(await said()).toBe(false);
  });
});

describe("an action item", () => {
  it("is a relay that was stopped, or has no workers or no HTTP, whatever waits", async () => {
    const { harness, query, status } = await withOpen();
    const severities = async () => (await status()).actionItems.map(({ severity }) => severity);
    expect(await severities()).toEqual([]);
    for (const [change, expected] of [
      [() => query("insert into source (name) values ('default')"), ["critical"]],
      [() => addProcess(harness, { workers: false }), ["critical"]],
      [() => addProcess(harness), []],
      [() => query("delete from relay_process where not workers"), []],
      [() => query("update relay_process set http = false"), ["critical"]],
      // What takes them on Lambda is seen by nobody.
      [() => query("update relay_process set beat_ms = 60000"), []],
      [() => query("update relay_process set seen_at = now() - interval '1 hour'"), ["critical"]],
    ] as const) {
      await change();
      expect(await severities(), String(change)).toEqual(expected);
    }
  });

  it("is a source of the settings that no process was started with, or that nobody says how to reconcile", async () => {
    const { harness, status } = await withStatus();
    const sources = ["default", "shop"].map(
      (name) => ({ name, reconciliation: "none", collectionIds: [] }) as const,
    );
    await addProcess(harness, { sources: '{"default": []}' });
    const { actionItems } = await status({ sources });
    expect(actionItems).toMatchObject([{ severity: "critical", what: expect.stringContaining("shop") }]);
    await addProcess(harness, { host: "relay-2", sources: '{"shop": []}' });
    expect((await status({ sources })).actionItems).toEqual([]);
    const unset = sources.map((one) => ({ ...one, reconciliation: "unset" as const }));
    expect((await status({ sources: unset })).actionItems).toMatchObject([
      { severity: "warning" },
      { severity: "warning" },
    ]);
  });
});

describe("an alarm that a job raises", () => {
  it("is work that only fails, with why, until it fails no more (G13)", async () => {
    const { harness, query, db, alarms, open } = await withOpen();
    await addProcess(harness);
    const note = async (worker: string | null) => {
      const problem = worker && JSON.stringify({ worker, reason: "a lock", action: "End it." });
      await query("update relay_process set recording_problem = $1", [problem]);
      await noteFailingWork(db, alarms);
      return await open("work_failing");
    };
    const detail = expect.stringMatching(/sweep: a lock\. End it\./);
    expect(await note("sweep")).toMatchObject([{ detail }]);
    expect(await note("sweep")).toHaveLength(1);
    expect(await note(null)).toEqual([]);
  });

  it("is a process that fell silent, for ten minutes, as long as none that lives has all of its work (G13)", async () => {
    const { harness, query, db, alarms, open } = await withOpen();
    const subjects = async () => {
      await noteSilence(db, alarms);
      return (await open("silent_process")).map(({ subject }) => subject);
    };
    await addProcess(harness, { ago: "5 s", host: "gone", sources: '{"default": []}' });
    const since = (ago: string) =>
      query("update relay_process set seen_at = now() - $1::interval where host = 'gone'", [ago]);
    expect(await subjects()).toEqual([]);
    // After three beats.
    await since("16 s");
    expect(await subjects()).toEqual(["workers and http"]);
    await addProcess(harness);
    await since("9 min");
    expect(await subjects()).toEqual(["gone (pid 17)"]);
    await since("10 min");
    expect(await subjects()).toEqual([]);
    await since("16 s");
    await query("update relay_process set serves = (select serves from relay_process where host = 'gone')");
    expect(await subjects()).toEqual([]);
  });

  it("is a list that was never read, and a daily certificate that is late, of sources that are reconciled (G13)", async () => {
    const { harness, query, db, alarms, open } = await withOpen();
    await query("insert into source (name) values ('shop'), ('apart')");
    const list = randomUUID();
    await addProcess(harness, { sources: `{"shop": ["${list}"], "apart": []}` });
    /** What is late, once the sources have been served for so long. */
    const late = async (hours: number) => {
      await query("update source set first_served_at = now() - $1 * interval '1 hour'", [hours]);
      await noteLateProofs(db, alarms, INTERVAL_MS);
      return [...(await open("sweep_late")), ...(await open("certificate_late"))].map(
        ({ subject }) => subject,
      );
    };
    expect(await late(3)).toEqual([]);
    // Who has just come back is still at it.
    expect(await late(31)).toEqual([]);
    await query("update relay_process set started_at = now() - interval '11 minutes'");
    for (const hours of [4, 29]) expect(await late(hours)).toEqual([list]);
    expect(await late(31)).toEqual([list, "shop"]);
    // Others say why.
    await addAlarm(harness, "sweep_failing", list, { source: "shop", ago: "1 minute" });
    await addAlarm(harness, "certificate_failing", "shop", { source: "shop", ago: "1 minute" });
    expect(await late(31)).toEqual([]);
    await query("delete from alarm where name like '%_failing'");
    await query("update source set paused_by = 'refused', paused_at = now()");
    expect(await late(31)).toEqual(["shop"]);
    await query("update source set paused_by = null, paused_at = null");
    await query(
      `insert into certificate (id, source, day, window_from, window_to, collection_ids, state, finished_at, result,
         gaps, document)
       values (gen_random_uuid(), 'shop', current_date, now(), now(), '{}', 'done', now(), 'equal', 0, '{}')`,
    );
    expect(await late(31)).toEqual([list]);
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
