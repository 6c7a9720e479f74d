import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { onTestFinished } from "../../support/own-test.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { callbackEvent, scheduleEvent } from "./payloads.ts";

const bundles = useBundles();

/** Longer than a container may sleep without looking after its connections, in ms. */
const SLEEP_MS = 1_200;

const TITLE = "the function %s finds before any time-out that its connections died while it slept (G11)";

async function awakens(name: string): Promise<void> {
  const stack = await lambdaStack(bundles);
  const proxy = await TcpProxy.start(Number(new URL(stack.databaseUrl).port));
  onTestFinished(() => proxy.close());
  const container = stack.container(name, { DATABASE_URL: proxy.through(stack.databaseUrl) });
  const event = () => (name === "receive" ? callbackEvent() : scheduleEvent);
  await container.invoke(event());
  expect(proxy.connections).toBeGreaterThan(0);
  container.freeze();
  proxy.hangAll();
  await delay(SLEEP_MS);
  container.thaw();
  const answer = await container.invoke<{ statusCode: number } | undefined>(event());
  // Each was asked for a sign of life and given up: no statement waited for its time-out there.
  expect(proxy.sentInVain.length).toBeGreaterThan(0);
  for (const sent of proxy.sentInVain) expect(sent).toMatch(/^Q.{4}select 1.$|^X.{4}$/s);
  if (name === "receive") expect(answer?.statusCode).toBe(200);
}

it.concurrent.each(["receive", "confirm", "publish", "reconcile", "certify", "replay", "retention"])(
  TITLE,
  awakens,
);
