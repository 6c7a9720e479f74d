import { expect, it } from "vitest";
import { onceForAll } from "../../support/own-test.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack, proxyTo } from "./lambda-stack.ts";
import { callbackEvent, FUNCTIONS, scheduleEvent } from "./payloads.ts";

const bundles = useBundles();
const stack = onceForAll(() => lambdaStack(bundles));

/** Longer than a container may sleep without checking its connections, in ms. */
const SLEPT_MS = 1_200;

it.concurrent.each(FUNCTIONS)(
  "the function %s finds before any time-out that its connections died while it slept (G11)",
  async (name) => {
    const { proxy, DATABASE_URL } = await proxyTo(stack());
    const container = stack().container(name, { DATABASE_URL });
    const event = name === "receive" ? callbackEvent() : scheduleEvent;
    await container.invoke(event);
    expect(proxy.connections).toBeGreaterThan(0);
    proxy.hangAll();
    const answer = await container.invoke(event, { sleptMs: SLEPT_MS });
    // Each was asked for a sign of life and given up: no statement waited for its time-out there.
    expect(proxy.sentInVain.length).toBeGreaterThan(0);
    for (const sent of proxy.sentInVain) expect(sent).toMatch(/^Q.{4}select 1.$|^X.{4}$/s);
    if (name === "receive") expect(answer).toMatchObject({ statusCode: 200 });
  },
);
