import { expect, it, vi } from "vitest";
import { startAlarmReceiver } from "../../support/alarm-receiver.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack, proxyTo } from "./lambda-stack.ts";
import { callbackEvent, scheduleEvent } from "./payloads.ts";

const bundles = useBundles();

async function awayable() {
  const stack = await lambdaStack(bundles);
  return { stack, ...(await proxyTo(stack)) };
}

it.concurrent.each(["cold", "warm"])(
  "Postgres that is away is told by confirm after 5 s, and kept with its end (%s container)",
  async (start) => {
    const { stack, proxy, DATABASE_URL } = await awayable();
    const receiver = await startAlarmReceiver();
    const confirm = stack.container("confirm", { DATABASE_URL, ALARM_WEBHOOK_URL: receiver.url });
    if (start === "warm") await confirm.invoke(scheduleEvent);
    proxy.fault({ kind: "refuse" });

    for (let minute = 1; minute <= 2; minute += 1)
      await expect(confirm.invoke(scheduleEvent)).rejects.toThrow();
    expect(confirm.lines.filter(({ alarm }) => alarm === "database_away")).toMatchObject([
      { level: "error", subject: "postgres" },
    ]);
    const told = { name: "database_away", subject: "postgres", severity: "critical", clearedAt: null };
    expect(receiver.messages.flatMap(({ alarms }) => alarms)).toMatchObject([told]);

    proxy.heal();
    await vi.waitFor(() => confirm.invoke(scheduleEvent));
    expect(confirm.lines.filter(({ alarmCleared }) => alarmCleared === "database_away")).toHaveLength(1);
    const kept = "select name, told_at is not null as told, cleared_at > raised_at as ended from alarm";
    expect(await stack.query(kept)).toEqual([{ name: "database_away", told: true, ended: true }]);
    expect(
      await stack.query(
        "select host, http, workers, seen_at > now() - interval '1 min' as lives from relay_process",
      ),
    ).toEqual([{ host: "invoice-relay-test", http: false, workers: true, lives: true }]);
  },
);

it.concurrent("receive tells too, not for a blip, and answers 503 before its time is up, whatever the webhook does", async () => {
  const { proxy, stack, DATABASE_URL } = await awayable();
  const webhook = await startAlarmReceiver();
  webhook.behaviour = "hangs";
  const receive = stack.container("receive", { DATABASE_URL, ALARM_WEBHOOK_URL: webhook.url });
  const callback = callbackEvent();
  proxy.fault({ kind: "refuse" });
  const call = async (given?: { remainingMs: number }) =>
    expect(await receive.invoke(callback, given)).toMatchObject({ statusCode: 503 });
  // Loading takes a while on a crowded machine; that Postgres is away is no alarm yet.
  await call();
  expect(receive.lines.filter(({ alarm }) => alarm !== undefined)).toEqual([]);
  while (webhook.messages.length === 0) await call({ remainingMs: 4_000 });
});
