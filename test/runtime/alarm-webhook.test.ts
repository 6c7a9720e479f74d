import { describe, expect, it, vi } from "vitest";
import { NOTIFYING_WAITS } from "../../src/platform/alarms/alarms-to-notify.ts";
import { connect } from "../../src/platform/database/connect.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { leaseOf } from "../../src/platform/worker/leased-rows.ts";
import { notifyPeople } from "../../src/runtime/alarm-webhook.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { addAlarm } from "../support/log-rows.ts";
import { onTestFinished } from "../support/own-test.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";
import { alarmsOn } from "../support/test-log.ts";

const WAIT = { interval: 20 };

const raise = (harness: Harness, subject: string) => addAlarm(harness, "confirmation_dead", subject);

const clear = (harness: Harness, subject: string) =>
  harness.query("update alarm set cleared_at = clock_timestamp() where subject = $1", [subject]);

const untold = (harness: Harness) =>
  harness.query(
    "select from alarm where told_at is null or cleared_at is not null and cleared_told_at is null",
  );

const workers = { http: false, workers: true };

/** A database, somebody who is told of its alarms, and the settings for that. */
async function setUp(changes: Record<string, string> = {}) {
  const [harness, receiver] = [await startHarness(), await startAlarmReceiver()];
  const environment = harness.environment({ ALARM_WEBHOOK_URL: receiver.url, ...changes });
  const messages = (count: number) => vi.waitFor(() => expect(receiver.messages).toHaveLength(count), WAIT);
  const allTold = () => vi.waitFor(async () => expect(await untold(harness)).toEqual([]), WAIT);
  return { harness, receiver, environment, messages, allTold };
}

describe.concurrent("ALARM_WEBHOOK_URL", () => {
  it("is told of an alarm's beginning and its end, with what to do", async () => {
    const { harness, receiver, environment, messages, allTold } = await setUp({
      RUNBOOK_URL: "https://wiki.example.com/relay",
    });
    const relay = await startRelay(environment, workers);
    await raise(harness, "an-invoice");
    await messages(1);
    const [begun] = receiver.messages;
    const alarm = { name: "confirmation_dead", subject: "an-invoice", severity: "critical" };
    const link = "https://wiki.example.com/relay#confirmation_dead";
    expect(begun?.alarms).toMatchObject([{ ...alarm, clearedAt: null, link, detail: "because" }]);
    await clear(harness, "an-invoice");
    await messages(2);
    expect(receiver.messages[1]?.alarms).toMatchObject([{ ...alarm, clearedAt: expect.any(String) }]);
    await allTold();
    expect(JSON.stringify(relay.lines)).not.toContain("planted-secret");
  });

  it("is told once by several processes, of many alarms in few messages, and of later ones after a pause", async () => {
    const { harness, receiver, environment, allTold } = await setUp();
    for (let n = 0; n < 300; n += 1) await raise(harness, `invoice-${n}`);
    const relays = await Promise.all([1, 2, 3].map(() => startRelay(environment, workers)));
    await allTold();
    const subjects = receiver.messages.flatMap(({ alarms }) => alarms.map(({ subject }) => subject));
    expect([subjects.length, new Set(subjects).size]).toEqual([300, 300]);
    expect(receiver.messages.length).toBeLessThanOrEqual(3);
    for (const relay of relays) await relay.stop();

    const { db, close } = connect(new Secret(harness.databaseUrl), { max: 1 });
    onTestFinished(close);
    const log = createLogger({ level: "silent" });
    const context = { db, lease: leaseOf(15_000), log, alarms: alarmsOn(db) };
    const tell = notifyPeople(context, { notify: async () => null });
    const inTurn = async (subject: string) => {
      await harness.query("update alarm_telling set next_at = now()");
      await raise(harness, subject);
      return await tell(new AbortController().signal);
    };
    expect(await inTurn("another")).toBe(NOTIFYING_WAITS.betweenMs);
    await raise(harness, "a third");
    expect(await tell(new AbortController().signal)).toBeNull();
    expect(await inTurn("a fourth")).toBe(NOTIFYING_WAITS.betweenMs);
    expect(await untold(harness)).toEqual([]);
  });

  it("that fails is tried again, and keeps no payment waiting", async () => {
    const { harness, receiver, environment, messages, allTold } = await setUp();
    Object.assign(receiver, { behaviour: 500, answer: "invalid_payload, call ada@example.com" });
    await raise(harness, "an-invoice");
    const relay = await startRelay(environment);
    await messages(1);
    expect((await relay.callback({ event: "ping" })).status).toBe(200);
    receiver.behaviour = 200;
    await allTold();
    expect(receiver.messages).toHaveLength(2);
    const [failed] = relay.lines.filter(({ failures }) => failures === 1);
    const error = expect.stringContaining('500: "invalid_payload, call [e-mail]"');
    expect(failed).toMatchObject({ level: "warn", alarms: 1, error });
  });

  it("is told by the next process when one dies between the row and the answer", async () => {
    const { harness, receiver, environment, messages, allTold } = await setUp({ LEASE_DURATION: "2s" });
    receiver.behaviour = "hangs";
    await raise(harness, "an-invoice");
    const relay = await startRelayProcess(environment);
    await messages(1);
    await relay.end("SIGKILL");
    expect(await untold(harness)).toHaveLength(1);
    receiver.behaviour = 200;
    await startRelay(environment, workers);
    await allTold();
    expect(receiver.messages).toHaveLength(2);
  });

  it("switched on late is told of what is open, and not of all that ever was", async () => {
    const { harness, receiver, environment, messages } = await setUp();
    for (const subject of ["old", "recent", "open"]) await raise(harness, subject);
    await harness.query("update alarm set cleared_at = now() - interval '2 days' where subject = 'old'");
    await clear(harness, "recent");
    await startRelay(environment, workers);
    await messages(1);
    expect(receiver.messages[0]?.alarms.map(({ subject }) => subject)).toEqual(["recent", "open"]);
  });
});
