import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  LIVE_KEY,
  OPEN_AMOUNT,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { NAMING_SHAPES, SILENT_SHAPES, sendShape } from "../support/callback-shapes.ts";
import { type Harness, startHarness, startRelay, TOKEN } from "../support/relay.ts";

/** A relay whose provider is the collection service. @param interval from one sweep to the next. */
async function withService(
  interval: string,
): Promise<{ harness: Harness; service: TestService; callBackUrl: string }> {
  const harness = await startHarness();
  const service = await startTestService();
  onTestFinished(() => service.close());
  const relay = await startRelay(
    harness.environment({
      COLLECTION_API_URL: service.url,
      COLLECTION_API_KEY: LIVE_KEY,
      COLLECTION_IDS: OPEN_AMOUNT,
      RECONCILE_INTERVAL: interval,
    }),
  );
  return { harness, service, callBackUrl: `${relay.url}/callbacks/${TOKEN}/order-17` };
}

const subjects = (harness: Harness) =>
  harness.sns.messages(harness.topicArn).map((message) => JSON.parse(message.message).subject);

/** Pays at the service, which calls nobody. */
async function payQuietly(service: TestService, callBackUrl: string): Promise<string> {
  const id = await service.create({ callBackUrl });
  expect((await service.control("POST", `/invoices/${id}/pay`, { copies: 0 })).status).toBe(200);
  return id;
}

describe("a payment at the collection service", () => {
  it("becomes one event each, by callbacks in every shape of part C that names the invoice", async () => {
    const { harness, service, callBackUrl } = await withService("1d");
    const ids: string[] = [];
    for (const shape of Object.values(NAMING_SHAPES)) {
      const id = await payQuietly(service, callBackUrl);
      expect(await sendShape(callBackUrl, shape(id))).toBe(200);
      ids.push(id);
    }
    await vi.waitFor(() => expect(subjects(harness)).toHaveLength(ids.length));
    expect(subjects(harness).sort()).toEqual(ids.sort());
    // Each by its own callback, not by reconciliation.
    const called = await harness.query(
      "select count(distinct invoice_ids[1])::int as n from callback where verdict is null",
    );
    expect(called).toEqual([{ n: ids.length }]);
  });

  it(`becomes one event by the next sweep when its callback says nothing: ${Object.keys(SILENT_SHAPES)}`, async () => {
    const { harness, service, callBackUrl } = await withService("1s");
    const paid: string[] = [];
    for (const shape of Object.values(SILENT_SHAPES)) {
      paid.push(await payQuietly(service, callBackUrl));
      expect(await sendShape(callBackUrl, shape)).toBe(200);
      await vi.waitFor(() => expect(subjects(harness)).toEqual(paid));
    }
    expect(await harness.query("select verdict from callback group by 1")).toEqual([{ verdict: "ping" }]);
  });
});
