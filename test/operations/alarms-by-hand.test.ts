import { expect, it } from "vitest";
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

it("closing by name, source or subject closes no other, and is audited", async () => {
  const { harness, run } = await withWebhook();
  for (const subject of ["one", "two"]) await addAlarm(harness, "replay_failed", subject);
  await addAlarm(harness, "replay_failed", "two", { source: "other" });
  await addAlarm(harness, "source_failing", "default");
  const find = ["--subject", "two", "--source", "default"];
  const open = async () =>
    (await run()).answer.items.map((one: Record<string, string>) => `${one.source} ${one.subject}`);
  const failing = "default default";
  const others = ["default one", "other two"];
  expect((await open()).sort()).toEqual([failing, others[0], "default two", others[1]]);
  const close = async (...words: string[]) => (await run("close", "replay_failed", ...words)).answer.count;
  expect([await close(...find, "--reason", "It works"), await close(...find)]).toEqual([1, 0]);
  expect((await open()).sort()).toEqual([failing, ...others]);
  const audited = "select action, subject, detail ->> 'reason' as reason from audit_entry";
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
