import { expect, it, vi } from "vitest";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";

it("when the only process that takes callbacks is killed, the workers tell people, and that it is over (G13)", async () => {
  const receiver = await startAlarmReceiver();
  const harness = await startHarness();
  const environment = harness.environment({ ALARM_WEBHOOK_URL: receiver.url, OPS_PORT: "0" });
  const alarms = () =>
    harness.query<{ subject: string; open: boolean; times: number }>(
      "select subject, cleared_at is null as open, times from alarm where name = 'silent_process'",
    );
  const told = () =>
    receiver.messages.flatMap(({ alarms }) =>
      alarms.map(({ name, subject, severity, clearedAt }) => [
        name,
        subject,
        clearedAt === null ? severity : "over",
      ]),
    );
  const dying = await startRelayProcess(environment, "--no-workers");
  await startRelay(environment, { http: false, workers: true });
  await dying.end("SIGKILL");
  // As if its three beats were over.
  await harness.query(`update relay_process set seen_at = seen_at - interval '1 minute' where http`);
  await vi.waitFor(() => expect(told()).toEqual([["silent_process", "http", "critical"]]));
  expect(await alarms()).toEqual([{ subject: "http", open: true, times: 1 }]);
  await startRelayProcess(environment, "--no-workers");
  await vi.waitFor(() => expect(told().at(-1)).toEqual(["silent_process", "http", "over"]));
  expect(await alarms()).toEqual([{ subject: "http", open: false, times: 1 }]);
  // The workers that come back may tell of it once more before they close it, never twice.
  expect(receiver.messages.length).toBeLessThanOrEqual(3);
});
