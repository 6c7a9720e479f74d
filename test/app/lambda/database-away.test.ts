import { expect, it, vi } from "vitest";
import { startAlarmReceiver } from "../../support/alarm-receiver.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { callbackEvent, gatewayEvent, scheduleEvent } from "./payloads.ts";

const bundles = useBundles();

async function awayable() {
  const stack = await lambdaStack(bundles);
  const proxy = await TcpProxy.start(Number(new URL(stack.databaseUrl).port));
  onTestFinished(() => proxy.close());
  return { stack, proxy, DATABASE_URL: proxy.through(stack.databaseUrl) };
}

const KEPT =
  "select source, told_at is not null as told, cleared_at > raised_at as ended from alarm where name = 'database_away'";

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
    expect(await stack.query(KEPT)).toEqual([{ source: "", told: true, ended: true }]);
    expect(
      await stack.query(
        "select host, http, workers, seen_at > now() - interval '1 min' as lives from relay_process",
      ),
    ).toEqual([{ host: "invoice-relay-test", http: false, workers: true, lives: true }]);
  },
);

it.concurrent("receive says so too, while it answers 503, and not for a blip", async () => {
  const { stack, proxy, DATABASE_URL } = await awayable();
  const receive = stack.container("receive", { DATABASE_URL });
  const call = () => receive.invoke<{ statusCode: number }>(callbackEvent());
  const said = () => receive.lines.filter(({ alarm }) => alarm === "database_away");
  expect(await call()).toMatchObject({ statusCode: 200 });
  proxy.fault({ kind: "refuse" });
  expect(await call()).toMatchObject({ statusCode: 503, headers: { "retry-after": expect.anything() } });
  expect(said()).toEqual([]);
  await vi.waitFor(
    async () => {
      expect(await call()).toMatchObject({ statusCode: 503 });
      // An answer that needs no database says nothing of it.
      const stranger = gatewayEvent({ path: "/callbacks/wrong", body: "{}" });
      expect(await receive.invoke(stranger)).toMatchObject({ statusCode: 404 });
      expect(said()).toHaveLength(1);
    },
    { interval: 500 },
  );
  proxy.heal();
  await vi.waitFor(async () => expect(await call()).toMatchObject({ statusCode: 200 }));
  expect(await stack.query(KEPT)).toEqual([{ source: "", told: false, ended: true }]);
});

it.concurrent("receive answers before its time is up, whatever the alarm's webhook does", async () => {
  const { proxy, stack, DATABASE_URL } = await awayable();
  const webhook = await startAlarmReceiver();
  webhook.behaviour = "hangs";
  const receive = stack.container("receive", { DATABASE_URL, ALARM_WEBHOOK_URL: webhook.url });
  const callback = callbackEvent();
  proxy.fault({ kind: "refuse" });
  const statuses: unknown[] = [];
  const call = async (remainingMs?: number) => {
    const { statusCode } = await receive
      .invoke<{ statusCode: unknown }>(callback, remainingMs)
      .catch((error) => ({ statusCode: error.message }));
    statuses.push(statusCode);
  };
  // Loading takes a while on a crowded machine; that Postgres is away is no alarm yet.
  await call();
  await vi.waitFor(
    async () => {
      await call(4_000);
      expect(webhook.messages).toHaveLength(1);
    },
    { interval: 500 },
  );
  expect(new Set(statuses)).toEqual(new Set([503]));
});
