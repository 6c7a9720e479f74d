import { describe, expect, it, vi } from "vitest";
import { Alarms } from "../../src/platform/alarms/alarms.ts";
import { connect } from "../../src/platform/database/connect.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import { createMetrics } from "../../src/platform/metrics/metrics.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { DatabaseWatch } from "../../src/runtime/database-watch.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { openDatabase } from "../support/database.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { addAlarm } from "../support/log-rows.ts";
import { onTestFinished } from "../support/own-test.ts";
import { type Harness, startHarness, startRelay, type TestRelay } from "../support/relay.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const WAIT = { interval: 100 };
const AWAY = { name: "database_away", subject: "postgres" };
const OVER = { ...AWAY, clearedAt: expect.any(String) };

async function behindProxy(harness: Harness): Promise<{ proxy: TcpProxy; url: string }> {
  const proxy = await TcpProxy.start(Number(new URL(harness.databaseUrl).port));
  onTestFinished(() => proxy.close());
  return { proxy, url: proxy.through(harness.databaseUrl) };
}

const page = async (relay: TestRelay) => await (await fetch(`${relay.url}/metrics`)).text();

/** A metric's value on a page; undefined when it is not there. */
const metric = (text: string, name: string): number | undefined =>
  text
    .split("\n")
    .flatMap((line) =>
      line.startsWith(`invoice_relay_${name} `) ? [Number(line.split(" ").at(-1))] : [],
    )[0];

describe.concurrent.each(["refuse", "black-hole"] as const)("Postgres that is away (%s)", (kind) => {
  it("is an alarm after five seconds, told at once, kept with its end once it is back", async () => {
    const harness = await startHarness();
    const receiver = await startAlarmReceiver();
    const { proxy, url } = await behindProxy(harness);
    const relay = await startRelay(
      harness.environment({ DATABASE_URL: url, ALARM_WEBHOOK_URL: receiver.url }),
    );
    await addAlarm(harness, "event_dead", "one");
    await vi.waitFor(async () => {
      const text = await page(relay);
      expect(metric(text, "database_up")).toBe(1);
      expect(metric(text, 'alarms_open{alarm="event_dead"}')).toBe(1);
    }, WAIT);

    proxy.fault({ kind });
    await vi.waitFor(async () => {
      const text = await page(relay);
      expect(metric(text, "database_up")).toBe(0);
      expect(metric(text, 'alarms_open{alarm="database_away"}')).toBe(1);
      // The last values stay, and say how old they are.
      expect(metric(text, 'alarms_open{alarm="event_dead"}')).toBe(1);
      expect(metric(text, "database_values_age_seconds")).toBeGreaterThan(3);
      expect(metric(text, "oldest_unpublished_event_seconds")).toBe(0);
    }, WAIT);
    const said = relay.lines.filter(({ alarm }) => alarm === "database_away");
    expect(said).toMatchObject([{ level: "error" }]);
    const told = () => receiver.messages.flatMap(({ alarms }) => alarms);
    const away = expect.objectContaining({ ...AWAY, clearedAt: null });
    await vi.waitFor(() => expect(told()).toContainEqual(away), WAIT);

    proxy.heal();
    const kept = `select cleared_at - raised_at > interval '4 s' as lasted, told_at is not null as told from alarm
      where name = 'database_away' and cleared_told_at is not null`;
    await eventually(() => harness.query(kept), toEqual([{ lasted: true, told: true }]));
    // Beside others, perhaps, that no message had reached before.
    expect(receiver.messages.at(-1)?.alarms).toContainEqual(expect.objectContaining(OVER));
    expect(relay.lines.filter(({ alarmCleared }) => alarmCleared === "database_away")).toHaveLength(1);
    await eventually(async () => metric(await page(relay), "database_up"), toEqual(1));
  });
});

it("while Postgres stays away people whom a message did not reach are notified again, and a stop does not wait (G13)", async () => {
  const { proxy, url } = await behindProxy(await startHarness());
  const log = createLogger({ level: "fatal" });
  const hour = 3_600_000;
  const pool = connect(new Secret(url), { max: 1, statementTimeoutMs: hour, connectTimeoutMs: hour });
  const alarms = new Alarms({ db: pool.db, log, metrics: createMetrics() });
  const answers = [false, false, true];
  const notified = Promise.withResolvers<void>();
  const notifyPeople = async () => {
    const answer = answers.shift() ?? false;
    if (answers.length === 0) notified.resolve();
    return answer;
  };
  const watch = new DatabaseWatch({ db: pool.db, alarms, log, notifyPeople });
  watch.start();
  proxy.fault({ kind: "black-hole" });
  await notified.promise;
  await watch.stop();
  proxy.heal();
  await pool.close();
  expect(watch.openAlarms).toEqual(["database_away"]);
});

describe("readiness", () => {
  it("a database that does not answer is told within a second, to all who ask, and the log once", async () => {
    const { proxy, url } = await behindProxy(await startHarness());
    const lines: string[] = [];
    const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
    const db = openDatabase(url);
    const alarms = new Alarms({ db, log, metrics: createMetrics() });
    const watch = new DatabaseWatch({ db, alarms, log, notifyPeople: null });
    proxy.fault({ kind: "black-hole" });

    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const answers = Promise.all(Array.from({ length: 20 }, () => watch.isReady()));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(await answers)).toEqual(new Set([false]));
    const late = watch.isReady();
    await vi.advanceTimersByTimeAsync(0);
    expect(await late).toBe(false);
    expect(lines).toHaveLength(1);

    vi.useRealTimers();
    proxy.heal();
    await vi.waitFor(async () => expect(await watch.isReady()).toBe(true));
  });
});

describe("a process that is stopped while the alarm is open", () => {
  it("writes its end if Postgres answers, and the next process tells it (G13)", async () => {
    const harness = await startHarness();
    const receiver = await startAlarmReceiver();
    const { proxy, url } = await behindProxy(harness);
    const told = { ALARM_WEBHOOK_URL: receiver.url };
    const relay = await startRelay(harness.environment({ DATABASE_URL: url, ...told }));
    proxy.fault({ kind: "refuse" });
    await vi.waitFor(() => expect(receiver.messages[0]?.alarms).toMatchObject([AWAY]), WAIT);
    // Before the watch asks again.
    proxy.heal();
    await relay.stop();
    expect(
      await harness.query("select name, cleared_at > raised_at as ended, cleared_told_at from alarm"),
    ).toEqual([{ name: "database_away", ended: true, cleared_told_at: null }]);

    await startRelay(harness.environment(told));
    await vi.waitFor(() => expect(receiver.messages.at(-1)?.alarms).toMatchObject([OVER]), WAIT);
  });
});
