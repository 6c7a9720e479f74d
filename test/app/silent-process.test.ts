import { expect, it, vi } from "vitest";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { runCli } from "../support/cli-process.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";

const SILENT =
  /^CRITICAL: a process is silent, and no other does its work \(silent_process: http\)\. No process takes callbacks: the one on \S+ \(pid \d+\) has been silent since /;

it("when the only process that takes callbacks is killed, the workers tell people, and that it is over (G13)", async () => {
  const receiver = await startAlarmReceiver();
  const harness = await startHarness();
  const environment = harness.environment({ ALARM_WEBHOOK_URL: receiver.url, OPS_PORT: "0" });
  const alarms = () =>
    harness.query<{ subject: string; open: boolean; times: number }>(
      "select subject, cleared_at is null as open, times from alarm where name = 'silent_process'",
    );
  const texts = () => receiver.messages.map(({ text }) => text);
  const dying = await startRelayProcess(environment, "--no-workers");
  await startRelay(environment, { http: false, workers: true });
  await dying.end("SIGKILL");
  // As if its three beats were over.
  await harness.query(`update relay_process set seen_at = seen_at - interval '1 minute' where http`);
  await vi.waitFor(() => expect(texts().join("\n")).toMatch(SILENT));
  expect(await alarms()).toEqual([{ subject: "http", open: true, times: 1 }]);
  const { stdout } = await runCli(["status"], environment);
  expect(stdout.match(/has been silent since/g)).toHaveLength(2);
  expect(stdout).toMatch(/^ {2}silent_process +critical/m);

  await startRelayProcess(environment, "--no-workers");
  await vi.waitFor(() => expect(texts().at(-1)).toMatch(/^OVER: a process is silent/));
  expect(await alarms()).toEqual([{ subject: "http", open: false, times: 1 }]);
  // The workers that come back may tell of it once more before they close it, never twice.
  expect(receiver.messages.length).toBeLessThanOrEqual(3);
});
