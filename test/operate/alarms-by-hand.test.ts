import { describe, expect, it } from "vitest";
import { alarmWebhook, notifyPeoplePass } from "../../src/app/alarm-webhook.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import { readSettings } from "../../src/kit/settings.ts";
import { readStatus } from "../../src/operate/status-facts.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { type Harness, startHarness } from "../support/relay.ts";

const raise = (harness: Harness, name: string, subject: string, ago = "1 minute") =>
  harness.query(
    `insert into alarm (name, source, subject, detail, raised_at) values ($1, '', $2, 'because', now() - $3::interval)`,
    [name, subject, ago],
  );

/** A webhook, and what makes people told of all that there is to tell, whenever they were told last. */
async function webhook(harness: Harness) {
  const receiver = await startAlarmReceiver();
  const environment = harness.environment({ ALARM_WEBHOOK_URL: receiver.url });
  const [db, log] = [openDatabase(harness.databaseUrl), createLogger({ level: "silent" })];
  const webhook = alarmWebhook(readSettings(environment), createMetrics());
  const pass = notifyPeoplePass({ db, lease: leaseOf(15_000), log }, webhook);
  const tell = async () => {
    await harness.query("update alarm_telling set next_at = '-infinity'");
    await pass(new AbortController().signal);
    return receiver.messages.at(-1)?.text;
  };
  return { receiver, environment, tell };
}

const statusOf = (harness: Harness) =>
  readStatus(openDatabase(harness.databaseUrl), { sources: null, intervalMs: 86_400_000 });

describe("an alarm that is snoozed", () => {
  it("leaves the headline, is counted, and is told again at its end", async () => {
    const harness = await startHarness();
    const { receiver, environment, tell } = await webhook(harness);
    await raise(harness, "replay_failed", "a-replay");
    await tell();
    const run = (...words: string[]) => runCli(["alarms", ...words], environment);
    expect(await run("snooze", "replay_failed", "--for", "2h", "--reason", "Ada is at it")).toMatchObject({
      code: 0,
      stdout: "1 alarm snoozed; what lasts then is told again.\n",
    });
    expect(await statusOf(harness)).toMatchObject({ needs: [], openAlarms: [{ count: 0, snoozed: 1 }] });
    expect((await run()).stdout).toMatch(/snoozed until 20.* UTC/);
    await tell();
    expect(receiver.messages).toHaveLength(1);
    await harness.query("update alarm set told_at = now() - interval '3 h', snoozed_until = now()");
    expect(await tell()).toMatch(/^STILL OPEN, WARNING: a replay failed/);
    expect(receiver.messages).toHaveLength(2);
    expect((await statusOf(harness)).needs).toHaveLength(1);
    const [entry] = await harness.query(
      "select actor, action, subject, detail ->> 'reason' as reason from audit_entry",
    );
    expect(entry).toMatchObject({ action: "alarm.snooze", subject: "a-replay", reason: "Ada is at it" });
  });

  it("is quiet for one source alone, and hides neither what gets worse nor what begins anew", async () => {
    const harness = await startHarness();
    const { receiver, environment, tell } = await webhook(harness);
    await harness.query("insert into source (name) values ('shop-a'), ('shop-b')");
    const fail = (source: string) =>
      harness.query(
        `insert into alarm (name, source, subject, detail, raised_at)
         values ('topic_failing', $1, $2, 'because', now() - interval '9 min')`,
        [source, harness.topicArn],
      );
    for (const source of ["shop-a", "shop-b"]) await fail(source);
    await tell();
    const run = (...words: string[]) => runCli(["alarms", ...words], environment);
    await run("snooze", "topic_failing", "--source", "shop-a", "--for", "2h");
    expect((await statusOf(harness)).openAlarms).toMatchObject([{ count: 1, snoozed: 1 }]);
    // Both have failed for ten minutes by now: only the other one is told to be critical.
    await harness.query(
      "update alarm set raised_at = now() - interval '11 min', told_at = now() - interval '2 min'",
    );
    const critical = await tell();
    expect(receiver.messages).toHaveLength(2);
    expect(critical).toMatch(/^STILL OPEN, CRITICAL: .*shop-b/);
    expect(critical).not.toContain("shop-a");
    // Its cause ends and comes back while it sleeps: that is news.
    await harness.query("update alarm set cleared_at = now() where source = 'shop-a'");
    expect(await tell()).toMatch(/^OVER: .*shop-a/);
    await fail("shop-a");
    expect(await tell()).toMatch(/^WARNING: .*shop-a/);
    // What lasts at the end of a snooze is told as what it has become.
    await run("snooze", "topic_failing", "--source", "shop-a", "--for", "2h");
    await harness.query(
      `update alarm set snoozed_until = now(), told_at = now() - interval '1 min',
         raised_at = now() - interval '11 min' where source = 'shop-a' and cleared_at is null`,
    );
    expect(await tell()).toMatch(/^STILL OPEN, CRITICAL: .*shop-a/);
  });

  it("needs a time that is ahead, and an alarm that is open", async () => {
    const environment = (await startHarness()).environment();
    const run = (...words: string[]) => runCli(["alarms", "snooze", ...words], environment);
    expect(await run("replay_failed", "--until", "2020-01-01")).toMatchObject({ code: 2 });
    expect(await run("replay_failed")).toMatchObject({ code: 2 });
    expect(await run("replay_faild", "--for", "2h")).toMatchObject({ code: 2 });
    expect(await run("replay_failed", "--for", "2h")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("No such alarm is open: nothing was changed."),
    });
  });
});

it("what is too much for whoever is told goes in smaller messages, until all of it is told", async () => {
  const harness = await startHarness();
  const { receiver, tell } = await webhook(harness);
  for (let n = 0; n < 8; n += 1) await raise(harness, "replay_failed", `replay-${n}`);
  receiver.behaviour = ({ alarms }) => (alarms.length > 2 ? 413 : 200);
  const untold = () => harness.query("select from alarm where told_at is null");
  for (let tries = 0; (await untold()).length > 0 && tries < 30; tries += 1) await tell();
  expect(await untold()).toEqual([]);
  // The first time it might be anything else.
  expect(receiver.messages.slice(0, 4).map(({ alarms }) => alarms.length)).toEqual([8, 8, 4, 2]);
});

it("one alarm that is refused even alone keeps no other waiting", async () => {
  const harness = await startHarness();
  const { receiver, tell } = await webhook(harness);
  for (const subject of ["refused", "one", "two"]) await raise(harness, "confirmation_dead", subject);
  receiver.behaviour = ({ alarms }) => (alarms.some(({ subject }) => subject === "refused") ? 400 : 200);
  const untold = () => harness.query("select subject from alarm where told_at is null");
  for (let tries = 0; (await untold()).length > 1 && tries < 30; tries += 1) await tell();
  expect(await untold()).toEqual([{ subject: "refused" }]);

  const webhookNeeds = async () =>
    (await statusOf(harness)).needs.filter(({ what }) => what.includes("WEBHOOK"));
  expect(await webhookNeeds()).toEqual([]);
  for (let tries = 0; tries < 3; tries += 1) await tell();
  expect(await webhookNeeds()).toMatchObject([{ what: expect.stringContaining("the last 3 messages") }]);
  const later = () =>
    harness.query("update alarm_telling set failures = 1100, next_at = now() - interval '1 hour'");
  await later();
  expect(await webhookNeeds()).toEqual([]);
  receiver.behaviour = 200;
  await tell();
  expect(await untold()).toEqual([]);
});

it("a note stands beside its alarm; closing by name or by subject closes no other", async () => {
  const harness = await startHarness();
  for (const subject of ["one", "two"]) await raise(harness, "replay_failed", subject);
  const run = (...words: string[]) => runCli(["alarms", ...words], harness.environment());
  await run("note", "replay_failed", "--subject", "two", "--note", "Ada asks the hoster");
  expect((await run()).stdout).toContain("note: Ada asks the hoster");
  expect((await run("close", "replay_failed", "--subject", "one")).stdout).toContain("1 alarm closed");
  expect(await harness.query("select subject from alarm where cleared_at is null")).toEqual([
    { subject: "two" },
  ]);
  expect((await run("close", "replay_failed")).stdout).toContain("1 alarm closed");
  expect((await run()).stdout).toBe("No alarm is open.\n");
});

describe("alarms test", () => {
  it("sends a message that says so, and says what went wrong", async () => {
    const harness = await startHarness();
    const receiver = await startAlarmReceiver();
    const run = (environment: Record<string, string>) =>
      runCli(["alarms", "test"], harness.environment(environment));
    expect(await run({ ALARM_WEBHOOK_URL: receiver.url, ALARM_WEBHOOK_FORMAT: "slack" })).toMatchObject({
      code: 0,
    });
    const sent = JSON.parse(receiver.messages[0]?.body ?? "");
    expect(sent.text).toMatch(/^TEST of the alarm webhook of invoice-relay/);
    expect(sent.blocks).toEqual([
      { type: "section", text: { type: "mrkdwn", text: sent.text, verbatim: true } },
    ]);
    // Followed, a redirect would carry the message to where nobody sent it.
    for (const status of [500, 302, 410]) {
      receiver.behaviour = status;
      expect(await run({ ALARM_WEBHOOK_URL: receiver.url })).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`it answered ${status}`),
      });
    }
    const none = await run({});
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("ALARM_WEBHOOK_URL is not set");
  });
});
