import { describe, expect, it } from "vitest";
import { alarmWebhook, notifyPeople } from "../../src/app/alarm-webhook.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import { readSettings } from "../../src/kit/settings.ts";
import { readStatus } from "../../src/operate/status-facts.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { addAlarm } from "../support/log-rows.ts";
import { type Harness, startHarness } from "../support/relay.ts";

/** A relay's webhook, what makes people told of all that there is to tell, and the command. */
async function withWebhook() {
  const harness = await startHarness();
  const receiver = await startAlarmReceiver();
  const environment = harness.environment({ ALARM_WEBHOOK_URL: receiver.url });
  const [db, log] = [openDatabase(harness.databaseUrl), createLogger({ level: "silent" })];
  const webhook = alarmWebhook(readSettings(environment), createMetrics());
  const pass = notifyPeople({ db, lease: leaseOf(15_000), log }, webhook);
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
  const run = async (...words: string[]) => {
    const { code, stdout } = await runCli(["alarms", ...words, "--json"], environment);
    return { code, answer: JSON.parse(stdout) };
  };
  return { harness, receiver, tell, run };
}

const statusOf = (harness: Harness) =>
  readStatus(openDatabase(harness.databaseUrl), { sources: null, intervalMs: 86_400_000 });

describe("an alarm that is snoozed", () => {
  it("leaves the headline, is counted, and is told again at its end", async () => {
    const { harness, receiver, tell, run } = await withWebhook();
    await addAlarm(harness, "replay_failed", "a-replay", { ago: "1 minute" });
    await tell();
    const snoozed = await run("snooze", "replay_failed", "--for", "2h", "--reason", "Ada is at it");
    expect(snoozed).toMatchObject({ code: 0, answer: { count: 1 } });
    expect(await statusOf(harness)).toMatchObject({ needs: [], openAlarms: [{ count: 0, snoozed: 1 }] });
    expect((await run()).answer.items).toMatchObject([{ snoozedUntil: expect.any(String) }]);
    await tell();
    expect(receiver.messages).toHaveLength(1);
    await harness.query("update alarm set told_at = now() - interval '3 h', snoozed_until = now()");
    expect(await tell()).toEqual(["default warning again"]);
    expect(receiver.messages).toHaveLength(2);
    expect((await statusOf(harness)).needs).toHaveLength(1);
    const entries = await harness.query(
      "select action, subject, detail ->> 'reason' as reason from audit_entry",
    );
    expect(entries).toEqual([{ action: "alarm.snooze", subject: "a-replay", reason: "Ada is at it" }]);
  });

  it("is quiet for one source alone, and hides neither what gets worse nor what begins anew", async () => {
    const { harness, receiver, tell, run } = await withWebhook();
    await harness.query("insert into source (name) values ('shop-a'), ('shop-b')");
    const fail = (source: string) =>
      addAlarm(harness, "topic_failing", harness.topicArn, { source, ago: "9 min" });
    const snooze = () => run("snooze", "topic_failing", "--source", "shop-a", "--for", "2h");
    for (const source of ["shop-a", "shop-b"]) await fail(source);
    await tell();
    await snooze();
    expect((await statusOf(harness)).openAlarms).toMatchObject([{ count: 1, snoozed: 1 }]);
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

  it("has to be open", async () => {
    const { run } = await withWebhook();
    expect(await run("snooze", "replay_failed", "--for", "2h")).toMatchObject({
      code: 3,
      answer: { count: 0 },
    });
  });
});

it("what is too much for whoever is told goes in smaller messages, until all of it is told", async () => {
  const { harness, receiver, tell } = await withWebhook();
  for (let n = 0; n < 8; n += 1) await addAlarm(harness, "replay_failed", `replay-${n}`);
  receiver.behaviour = ({ alarms }) => (alarms.length > 2 ? 413 : 200);
  const untold = () => harness.query("select from alarm where told_at is null");
  for (let tries = 0; (await untold()).length > 0 && tries < 30; tries += 1) await tell();
  expect(await untold()).toEqual([]);
  // The first time it might be anything else.
  expect(receiver.messages.slice(0, 4).map(({ alarms }) => alarms.length)).toEqual([8, 8, 4, 2]);
});

it("one alarm that is refused even alone keeps no other waiting, and is a need of its own", async () => {
  const { harness, receiver, tell } = await withWebhook();
  for (const subject of ["refused", "one", "two"]) await addAlarm(harness, "confirmation_dead", subject);
  receiver.behaviour = ({ alarms }) => (alarms.some(({ subject }) => subject === "refused") ? 400 : 200);
  const untold = () => harness.query("select subject from alarm where told_at is null");
  for (let tries = 0; (await untold()).length > 1 && tries < 30; tries += 1) await tell();
  expect(await untold()).toEqual([{ subject: "refused" }]);

  const webhookNeeds = async () =>
    (await statusOf(harness)).needs.filter(({ command, alarm }) => command === "doctor" && alarm === null);
  expect(await webhookNeeds()).toEqual([]);
  for (let tries = 0; tries < 3; tries += 1) await tell();
  expect(await webhookNeeds()).toHaveLength(1);
  await harness.query("update alarm_telling set failures = 1100, next_at = now() - interval '1 hour'");
  expect(await webhookNeeds()).toEqual([]);
  receiver.behaviour = 200;
  await tell();
  expect(await untold()).toEqual([]);
});

it("a note stands beside its alarm; closing by name or by subject closes no other", async () => {
  const { harness, run } = await withWebhook();
  for (const subject of ["one", "two"]) await addAlarm(harness, "replay_failed", subject);
  await run("note", "replay_failed", "--subject", "two", "--note", "Ada asks the hoster");
  const notes = async () =>
    (await run()).answer.items.map(({ subject, note }: Record<string, string>) => [subject, note]);
  expect((await notes()).sort()).toEqual([
    ["one", null],
    ["two", "Ada asks the hoster"],
  ]);
  expect((await run("close", "replay_failed", "--subject", "one")).answer).toMatchObject({ count: 1 });
  expect(await notes()).toHaveLength(1);
  expect((await run("close", "replay_failed")).answer).toMatchObject({ count: 1 });
  expect(await notes()).toEqual([]);
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
