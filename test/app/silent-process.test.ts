import { describe, expect, it, vi } from "vitest";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";
import { runInProcess } from "../support/run-command.ts";

describe.each([
  {
    dies: "workers",
    options: ["--workers-only"],
    lives: { http: true, workers: false },
    says: /^CRITICAL: a process is silent, and no other does its work \(silent_process: workers\)\. No process confirms and publishes: the one on \S+ \(pid \d+\) has been silent since /,
  },
  {
    dies: "http",
    options: ["--no-workers"],
    lives: { http: false, workers: true },
    says: /^CRITICAL: a process is silent, and no other does its work \(silent_process: http\)\. No process takes callbacks: the one on \S+ \(pid \d+\) has been silent since /,
  },
])("when the only process with $dies is killed", ({ dies, options, lives, says }) => {
  it("the one that lives tells people, and when another does its work again (G13)", async () => {
    const receiver = await startAlarmReceiver();
    const around = await surroundings();
    const environment = around.environment({ ALARM_WEBHOOK_URL: receiver.url, OPS_PORT: "0" });
    const alarms = () =>
      around.query<{ subject: string; open: boolean; times: number }>(
        "select subject, cleared_at is null as open, times from alarm where name = 'silent_process'",
      );
    const texts = () => receiver.messages.map(({ text }) => text);
    const dying = await startRelayProcess(environment, ...options);
    await startRelay(environment, lives);
    await dying.end("SIGKILL");
    // As if its three beats were over.
    await around.query(`update relay_process set seen_at = seen_at - interval '1 minute' where ${dies}`);
    await vi.waitFor(() => expect(texts().join("\n")).toMatch(says));
    expect(await alarms()).toEqual([{ subject: dies, open: true, times: 1 }]);
    const { stdout } = await runInProcess(["status"], environment);
    expect(stdout.match(/has been silent since/g)).toHaveLength(2);
    expect(stdout).toMatch(/^ {2}silent_process +critical/m);

    await startRelayProcess(environment, ...options);
    await vi.waitFor(() => expect(texts().at(-1)).toMatch(/^OVER: a process is silent/));
    expect(await alarms()).toEqual([{ subject: dies, open: false, times: 1 }]);
    // The workers that come back may tell of it once more before they close it, never twice.
    expect(receiver.messages.length).toBeLessThanOrEqual(3);
  });
});
