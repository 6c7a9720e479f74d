import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { severityOf } from "../../src/alarms/alarm-definitions.ts";
import { readStatus } from "../../src/operate/status-facts.ts";
import { addCertificate } from "../support/certificates.ts";
import { openDatabase } from "../support/database.ts";
import { addAlarm, addConfirmation, addEvents, addProcess } from "../support/log-rows.ts";
import { type Harness, ownRelay, startHarness } from "../support/relay.ts";
import { unpaidAnswer } from "../support/scripted-provider.ts";

const NOTHING_SET = { sources: null, intervalMs: 86_400_000 };

const statusOf = (harness: Harness) => readStatus(openDatabase(harness.databaseUrl), NOTHING_SET);

const raise = (harness: Harness, name: string, subject: string, ago = "1 minute") =>
  addAlarm(harness, name, subject, { ago });

describe("what needs a person", () => {
  it("is one line a cause, counted once, and what holds up a topic stands first", async () => {
    const harness = await startHarness();
    for (let index = 0; index < 13; index++) {
      const id = await addConfirmation(harness, { verdict: "quarantined" });
      await raise(harness, "invoice_quarantined", id);
    }
    await addEvents(harness, 6, { state: "dead" });
    for (let index = 0; index < 6; index++) await raise(harness, "event_dead", randomUUID());
    await raise(harness, "unknown_ids_flooding", "default");
    await raise(harness, "topic_paused", "arn:aws:sns:eu-west-1:1:topic");
    const { needs } = await statusOf(harness);
    expect(needs.map(({ alarm, severity, count }) => [alarm, severity, count])).toEqual([
      ["topic_paused", "critical", 1],
      ["unknown_ids_flooding", "warning", 1],
      ["event_dead", "critical", 6],
      ["invoice_quarantined", "warning", 13],
    ]);
    expect(needs.every(({ oldestAt, newestAt }) => oldestAt !== null && newestAt !== null)).toBe(true);
  });

  it("names what an alarm is about in what to do, and leaves its place open for several", async () => {
    const harness = await startHarness();
    const [id, other] = [randomUUID(), randomUUID()];
    await raise(harness, "invoice_anomaly", id);
    expect((await statusOf(harness)).needs).toMatchObject([
      { action: expect.stringContaining(`invoice ${id}`) },
    ]);
    await raise(harness, "invoice_anomaly", other);
    expect((await statusOf(harness)).needs).toMatchObject([{ action: expect.stringContaining("<id>") }]);
  });

  it("becomes critical once an upstream has failed for ten minutes", async () => {
    const harness = await startHarness();
    await raise(harness, "source_failing", "default", "9 minutes");
    expect((await statusOf(harness)).needs[0]).toMatchObject({ severity: "warning" });
    await harness.query("update alarm set raised_at = now() - interval '10 minutes'");
    const { needs, openAlarms, alarms } = await statusOf(harness);
    expect([needs[0], openAlarms[0], alarms[0]]).toMatchObject(Array(3).fill({ severity: "critical" }));
    const at = new Date(600_000);
    expect(severityOf("invoice_anomaly", new Date(0), at)).toBe("warning");
  });
});

describe("the age of a backlog", () => {
  it("counts from the oldest request, however often asking fails, and ends with an answer", async () => {
    const { harness, relay } = await ownRelay();
    const id = randomUUID();
    harness.provider.invoice(id, { status: 500, body: {} });
    await relay.callback({ data: { id } });
    await harness.query("update confirmation set open_since = open_since - interval '13 minutes'");
    const row = async () => (await harness.query("select faults, open_since, state from confirmation"))[0];
    await vi.waitFor(async () => expect((await row())?.faults).toBeGreaterThan(1));
    const { backlog, waiting } = await statusOf(harness);
    expect(backlog.oldestConfirmationSeconds).toBeGreaterThan(780);
    expect(waiting).toMatchObject([{ source: "default", count: 1 }]);
    harness.provider.invoice(id, unpaidAnswer(id));
    await vi.waitFor(async () => expect(await row()).toMatchObject({ open_since: null, state: "due" }));
    expect((await statusOf(harness)).waiting).toEqual([]);
  });
});

it("a relay that was stopped is not well, nor one without workers or without HTTP, whatever waits", async () => {
  const harness = await startHarness();
  const look = async () => (await statusOf(harness)).needs.map(({ severity }) => severity);
  expect(await look()).toEqual([]);
  await harness.query("insert into source (name) values ('default')");
  expect(await look()).toEqual(["critical"]);
  await addProcess(harness, { workers: false });
  expect(await look()).toEqual(["critical"]);
  await addConfirmation(harness, { state: "due", settled_at: null, verdict: null });
  expect(await look()).toEqual(["critical"]);
  await harness.query("delete from confirmation");
  await addProcess(harness);
  expect(await look()).toEqual([]);
  await harness.query("delete from relay_process where not workers");
  await harness.query("update relay_process set http = false");
  expect(await look()).toEqual(["critical"]);
  // What takes them on Lambda is seen by nobody.
  await harness.query("update relay_process set beat_ms = 60000");
  expect(await look()).toEqual([]);
});

it("what waits behind work that only fails is one need with it, which says what to do", async () => {
  const harness = await startHarness();
  await harness.query("insert into source (name) values ('default')");
  await addProcess(harness);
  await addConfirmation(harness, { state: "due", settled_at: null, verdict: null });
  // A sweep keeps no payment from its answer; what gives back leases does.
  for (const [worker, count] of [
    ["sweep", 2],
    ["rescue", 1],
  ] as const) {
    await harness.query("update relay_process set recording_problem = $1", [
      JSON.stringify({ worker, reason: "a lock", action: "End it." }),
    ]);
    const { needs } = await statusOf(harness);
    expect(needs[0]).toMatchObject({
      what: expect.stringContaining(worker),
      action: expect.stringMatching(/^End it\./),
    });
    expect(needs).toHaveLength(count);
  }
});

it("a source of the settings that no process was started with is told", async () => {
  const harness = await startHarness();
  const sources = ["default", "shop"].map(
    (name) => ({ name, reconciliation: "none", collectionIds: [] }) as const,
  );
  const db = openDatabase(harness.databaseUrl);
  const look = async () => (await readStatus(db, { ...NOTHING_SET, sources })).needs;
  await addProcess(harness, { sources: '{"default": []}' });
  expect(await look()).toMatchObject([{ severity: "critical", what: expect.stringContaining("shop") }]);
  await addProcess(harness, { host: "relay-2", sources: '{"shop": []}' });
  expect(await look()).toEqual([]);
});

describe("a process that fell silent", () => {
  it("is told of after three beats, for as long as none that lives has its work", async () => {
    const harness = await startHarness();
    await addProcess(harness, { ago: "5 s" });
    expect((await statusOf(harness)).needs).toEqual([]);
    await harness.query("update relay_process set seen_at = now() - interval '16 s'");
    expect((await statusOf(harness)).needs).toMatchObject([{ severity: "critical" }]);
    await addProcess(harness);
    expect((await statusOf(harness)).needs).toEqual([]);
  });

  it("leaves the headline after ten minutes, where another serves less", async () => {
    const harness = await startHarness();
    await addProcess(harness);
    await addProcess(harness, { ago: "9 min", host: "gone", sources: '{"default": []}' });
    expect((await statusOf(harness)).needs).toMatchObject([
      { alarm: "silent_process", what: expect.stringContaining("pid 17") },
    ]);
    await harness.query("update relay_process set seen_at = now() - interval '10 min' where host = 'gone'");
    expect((await statusOf(harness)).needs).toEqual([]);
  });
});

it("a list that was never read and a daily certificate that is late are told, of sources that are reconciled", async () => {
  const harness = await startHarness();
  await addProcess(harness);
  await harness.query("insert into source (name) values ('shop'), ('gone'), ('apart')");
  const list = randomUUID();
  const sources = [
    { name: "shop", reconciliation: "on", collectionIds: [list] },
    { name: "apart", reconciliation: "none", collectionIds: [] },
  ] as const;
  const look = async (hours: number) => {
    await harness.query("update source set first_served_at = now() - $1 * interval '1 hour'", [hours]);
    const intervalMs = 3_600_000;
    const { needs } = await readStatus(openDatabase(harness.databaseUrl), { sources, intervalMs });
    return needs.map(({ what }) => [what.includes(list) ? "list" : what.includes("shop") && "shop", what]);
  };
  const about = async (hours: number) => (await look(hours)).map(([of]) => of);
  expect(await about(3)).toEqual([]);
  expect(await about(4)).toEqual(["list"]);
  expect(await about(29)).toEqual(["list"]);
  expect((await about(31)).sort()).toEqual(["list", "shop"]);
  await harness.query(
    `insert into certificate (id, source, day, window_from, window_to, collection_ids, state, finished_at, result,
       gaps, document)
     select gen_random_uuid(), name, '2026-10-02', '2026-10-01Z', '2026-10-02Z', '{}', 'done', now(), 'equal', 0, '{}'
     from source`,
  );
  expect(await look(3)).toEqual([["shop", expect.stringContaining("2026-10-02")]]);
});

describe("a day of payment", () => {
  const certify = (
    harness: Harness,
    madeAt: string,
    [from, to]: [string, string],
    result: "equal" | "refused",
    collections: string[],
  ) => addCertificate(harness.databaseUrl, { from, to, madeAt, result, collections });
  const [ONE, OTHER] = [randomUUID(), randomUUID()];
  const OCTOBER: [string, string] = ["2026-10-01Z", "2026-11-01Z"];

  it("is as the newest certificate says that covers it, by hand or daily", async () => {
    const harness = await startHarness();
    const days = async () =>
      (await statusOf(harness)).unproven.map(({ result, firstDay, lastDay }) => [result, firstDay, lastDay]);
    const DAYS: [string, string] = ["2026-10-01Z", "2026-10-31Z"];
    const BOTH = [ONE, OTHER];
    await certify(harness, "2026-10-31T11:00Z", DAYS, "equal", BOTH);
    // One of a period that was not over says nothing of what was proven, nor of what was found.
    await certify(harness, "2026-10-31T12:00Z", OCTOBER, "refused", BOTH);
    expect(await days()).toEqual([]);
    await certify(harness, "2026-10-31T12:02Z", DAYS, "refused", BOTH);
    await certify(harness, "2026-10-31T12:04Z", OCTOBER, "refused", BOTH);
    expect(await days()).toEqual([["refused", "2026-10-01", "2026-10-30"]]);
    // Once the last day is over, it tells of that.
    await certify(harness, "2026-11-01T12:00Z", ["2026-10-31Z", "2026-11-01Z"], "refused", BOTH);
    expect(await days()).toEqual([
      ["refused", "2026-10-31", "2026-10-31"],
      ["refused", "2026-10-01", "2026-10-30"],
    ]);
    await certify(harness, "2026-11-02Z", OCTOBER, "equal", BOTH);
    expect(await days()).toEqual([]);
    await certify(harness, "2026-11-03Z", ["2026-10-10Z", "2026-10-12Z"], "refused", [ONE]);
    expect(await days()).toEqual([["refused", "2026-10-10", "2026-10-11"]]);
    // Of another collection, of fewer days, and of a part of one: none settles it whole.
    await certify(harness, "2026-11-04Z", OCTOBER, "equal", [OTHER]);
    await certify(harness, "2026-11-05Z", ["2026-10-11Z", "2026-10-13Z"], "equal", [ONE]);
    await certify(harness, "2026-11-05Z", ["2026-10-10T12:00Z", "2026-10-13Z"], "equal", [ONE]);
    expect(await days()).toEqual([["refused", "2026-10-10", "2026-10-10"]]);
    await certify(harness, "2026-11-06Z", OCTOBER, "equal", BOTH);
    expect(await days()).toEqual([]);
  });
});
