import { expect, it, onTestFinished, vi } from "vitest";
import { EVENTS } from "../support/events.ts";
import { startHarness, startRelay, TOKEN } from "../support/relay.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const ANSWERED_AGAIN_MS = 15_000;
const PUBLISHED_MS = 30_000;

it("connections to Postgres that hang are replaced: answered again within 15 s, published within 30 s (G11)", async () => {
  const harness = await startHarness();
  const proxy = await TcpProxy.start(Number(new URL(harness.databaseUrl).port));
  onTestFinished(() => proxy.close());
  const relay = await startRelay(harness.environment({ DATABASE_URL: proxy.through(harness.databaseUrl) }));
  const pay = async () => {
    const id = harness.provider.paid();
    const { status } = await fetch(`${relay.url}/callbacks/${TOKEN}`, {
      method: "POST",
      body: JSON.stringify({ data: { id } }),
    });
    return status;
  };
  const published = async (events: number) =>
    expect(
      await harness.query(`select count(*)::int as events from ${EVENTS} where state = 'published'`),
    ).toEqual([{ events }]);
  await Promise.all(Array.from({ length: 30 }, pay));
  await vi.waitFor(() => published(30), { interval: 50 });

  proxy.hangAll();
  const before = await Promise.all(Array.from({ length: 10 }, pay));
  const taken = before.filter((status) => status === 200).length;
  let more = 0;
  await vi.waitFor(
    async () => {
      expect(await pay()).toBe(200);
      more += 1;
    },
    { timeout: ANSWERED_AGAIN_MS, interval: 100 },
  );
  await vi.waitFor(() => published(30 + taken + more), { timeout: PUBLISHED_MS, interval: 100 });
});
