import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { TcpProxy } from "../../faults/network/tcp-proxy.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { TOKEN } from "../../support/relay.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { gatewayEvent, scheduleEvent } from "./payloads.ts";

const bundles = useBundles();

/** Longer than a container may sleep without looking after its connections, in ms. */
const SLEEP_MS = 1_200;

/** Well before a statement over a dead connection times out, in ms: after 5 s in `receive`, else after 30 s. */
const awakeMs = (name: string) => (name === "receive" ? 4_500 : 15_000);

const TITLE = "the function %s finds before any time-out that its connections died while it slept (G11)";

async function awakens(name: string): Promise<void> {
  const stack = await lambdaStack(bundles);
  const proxy = await TcpProxy.start(Number(new URL(stack.databaseUrl).port));
  onTestFinished(() => proxy.close());
  const container = stack.container(name, { DATABASE_URL: proxy.through(stack.databaseUrl) });
  const event = () =>
    name === "receive"
      ? gatewayEvent({
          path: `/callbacks/${TOKEN}`,
          body: JSON.stringify({ data: { id: randomUUID() } }),
        })
      : scheduleEvent;
  const timed = async () => {
    const from = performance.now();
    const answer = await container.invoke<{ statusCode: number } | undefined>(event());
    return { answer, ms: performance.now() - from };
  };
  await container.invoke(event());
  const before = await timed();
  expect(proxy.connections).toBeGreaterThan(0);
  container.freeze();
  proxy.hangAll();
  await delay(SLEEP_MS);
  container.thaw();
  const { answer, ms } = await timed();
  // A crowded machine was as slow before.
  expect(ms - before.ms).toBeLessThan(awakeMs(name));
  if (name === "receive") expect(answer?.statusCode).toBe(200);
}

// Alone, since it has the least time.
it.each(["receive"])(TITLE, awakens);

it.concurrent.each(["confirm", "publish", "reconcile", "certify", "replay", "retention"])(TITLE, awakens);
