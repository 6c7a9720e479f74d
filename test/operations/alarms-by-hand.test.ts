import { describe, expect, it } from "vitest";
import { readSettings } from "../../src/platform/config/settings.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import { createMetrics } from "../../src/platform/metrics/metrics.ts";
import { leaseOf } from "../../src/platform/worker/leased-rows.ts";
import { alarmWebhook, notifyPeople } from "../../src/runtime/alarm-webhook.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { runCli } from "../support/cli-process.ts";
import { addAlarm } from "../support/log-rows.ts";
import { alarmsOn } from "../support/test-log.ts";
import { withStatus } from "./with-status.ts";

/** A relay's webhook, what makes people told of all that there is to tell, status, and the command. */
async function withWebhook() {
  const { harness, db, status } = await withStatus();
  const receiver = await startAlarmReceiver();
  const environment = harness.environment({ ALARM_WEBHOOK_URL: receiver.url, INVOICE_RELAY_OPERATOR: "ada" });
  const log = createLogger({ level: "silent" });
  const webhook = alarmWebhook(readSettings(environment), createMetrics());
  const pass = notifyPeople({ db, lease: leaseOf(15_000), log, alarms: alarmsOn(db) }, webhook);
  /** @returns of the last message each alarm: its source, how urgent it is, whether it was told before, or is over. */
  const tell = async () => {
    await harness.query("update alarm_telling set next_at = '-infinity'");
    await pass(new AbortController().signal);
    return receiver.messages
      .at(-1)
      ?.alarms.map(({ source, severity, toldAt, clearedAt }) =>
        [source, clearedAt === null ? severity : "over", toldAt === null ? "new" : "again"].join(" "),
      );
  };
  /** Tells until so many alarms are left that nobody was told of. */
  const tellUntil = async (left: number) => {
    const untold = () =>
      harness.query<{ subject: string }>(
        "select subject from alarm where told_at is null and name <> 'webhook_failing'",
      );
    for (let tries = 0; (await untold()).length > left && tries < 30; tries += 1) await tell();
    return (await untold()).map(({ subject }) => subject);
  };
  const run = async (...words: string[]) => {
    const { code, stdout } = await runCli(["alarms", ...words, "--json"], environment);
    return { code, answer: JSON.parse(stdout) };
  };
  return { harness, receiver, tell, tellUntil, run, status };
}

describe("an alarm that is snoozed", () => {
  it("leaves the headline, is counted, and is told again at its end", async () => {
    const { harness, receiver, tell, run, status } = await withWebhook();
    const snooze = () => run("snooze", "replay_failed", "--for", "2h", "--reason", "Ada is at it");
    // It has to be open.
    expect(await snooze()).toMatchObject({ code: 3, answer: { count: 0 } });
    await addAlarm(harness, "replay_failed", "a-replay", { ago: "1 minute" });
    await tell();
    expect(await snooze()).toMatchObject({ code: 0, answer: { count: 1 } });
    expect(await status()).toMatchObject({ needsPerson: false, openAlarms: [{ count: 0, snoozed: 1 }] });
    expect((await run()).answer.items).toMatchObject([{ snoozedUntil: expect.any(String) }]);
    await tell();
    expect(receiver.messages).toHaveLength(1);
    await harness.query("update alarm set told_at = now() - interval '3 h', snoozed_until = now()");
    expect(await tell()).toEqual(["default warning again"]);
    expect(await status()).toMatchObject({ needsPerson: true });
    const entries = "select action, subject, detail ->> 'reason' as reason from audit_entry";
    expect(await harness.query(entries)).toEqual([
      { action: "alarm.snooze", subject: "a-replay", reason: "Ada is at it" },
    ]);
  });

  it("is quiet for one source alone, and hides neither what gets worse nor what begins anew", async () => {
    const { harness, receiver, tell, run, status } = await withWebhook();
    await harness.query("insert into source (name) values ('shop-a'), ('shop-b')");
    const fail = (source: string) =>
      addAlarm(harness, "topic_failing", harness.topicArn, { source, ago: "9 min" });
    const snooze = () => run("snooze", "topic_failing", "--source", "shop-a", "--for", "2h");
    for (const source of ["shop-a", "shop-b"]) await fail(source);
    await tell();
    await snooze();
    expect((await status()).openAlarms).toMatchObject([{ count: 1, snoozed: 1 }]);
    // Both have failed for ten minutes by now: only the other one is told to be critical.
    await harness.query(
      "update alarm set raised_at = now() - interval '11 min', told_at = now() - interval '2 min'",
    );
    expect(await tell()).toEqual(["shop-b critical again"]);
    expect(receiver.messages).toHaveLength(2);
    // Its cause ends and comes back while it sleeps: that is news.
    await harness.query("update alarm set cleared_at = now() where source = 'shop-a'");
    expect(await tell()).toEqual(["shop-a over again"]);
    await fail("shop-a");
    expect(await tell()).toEqual(["shop-a warning new"]);
    // What lasts at the end of a snooze is told as what it has become.
    await snooze();
    await harness.query(
      `update alarm set snoozed_until = now(), told_at = now() - interval '1 min',
         raised_at = now() - interval '11 min' where source = 'shop-a' and cleared_at is null`,
    );
    expect(await tell()).toEqual(["shop-a critical again"]);
  });
});

it("alarms that are refused go in smaller messages; one that is refused even alone keeps no other, and is an alarm", async () => {
  const { harness, receiver, tell, tellUntil } = await withWebhook();
  for (const subject of ["refused", "one", "two"]) await addAlarm(harness, "confirmation_dead", subject);
  receiver.behaviour = ({ alarms }) => (alarms.some(({ subject }) => subject === "refused") ? 400 : 200);
  expect(await tellUntil(1)).toEqual(["refused"]);
  // Not taken twice, they may be too many: the first time it might be anything else.
  expect(receiver.messages.slice(0, 3).map(({ alarms }) => alarms.length)).toEqual([3, 3, 2]);
  const failing = () =>
    harness.query("select times from alarm where name = 'webhook_failing' and cleared_at is null");
  expect(await failing()).toEqual([]);
  for (let tries = 0; tries < 3; tries += 1) await tell();
  expect(await failing()).toEqual([{ times: 1 }]);
  receiver.behaviour = 200;
  expect(await tellUntil(0)).toEqual([]);
  // It cannot tell of itself.
  expect(await failing()).toEqual([]);
  expect(receiver.messages.flatMap(({ alarms }) => alarms.map(({ name }) => name))).not.toContain(
    "webhook_failing",
  );
});

it("a note stands beside its alarm; closing by name, source or subject closes no other, and is audited", async () => {
  const { harness, run } = await withWebhook();
  for (const subject of ["one", "two"]) await addAlarm(harness, "replay_failed", subject);
  await addAlarm(harness, "replay_failed", "two", { source: "other" });
  await addAlarm(harness, "source_failing", "default");
  const find = ["--subject", "two", "--source", "default"];
  await run("note", "replay_failed", ...find, "--note", "Ada asks the hoster");
  const open = async () =>
    (await run()).answer.items.map(
      (one: Record<string, string>) => `${one.source} ${one.subject} ${one.note}`,
    );
  const failing = "default default null";
  const others = ["default one null", "other two null"];
  expect((await open()).sort()).toEqual([failing, others[0], "default two Ada asks the hoster", others[1]]);
  const close = async (...words: string[]) => (await run("close", "replay_failed", ...words)).answer.count;
  expect([await close(...find, "--reason", "It works"), await close(...find)]).toEqual([1, 0]);
  expect((await open()).sort()).toEqual([failing, ...others]);
  const audited =
    "select action, subject, detail ->> 'reason' as reason from audit_entry where action <> 'alarm.note'";
  expect(await harness.query(audited)).toEqual([
    { action: "alarm.close", subject: "two", reason: "It works" },
  ]);
  expect(await close()).toBe(2);
  expect(await open()).toEqual([failing]);
});

it("alarms test sends a message, and says what went wrong; a redirect is not followed", async () => {
  const { receiver, run } = await withWebhook();
  expect(await run("test")).toEqual({ code: 0, answer: { taken: true, problem: null } });
  for (const status of [500, 302, 410]) {
    receiver.behaviour = status;
    const problem = expect.stringContaining(String(status));
    expect(await run("test")).toEqual({ code: 1, answer: { taken: false, problem } });
  }
});
