import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  LIVE_KEY,
  OPEN_AMOUNT,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { type Harness, startHarness, startRelay, TOKEN } from "../support/relay.ts";

/** Part C of the interface, as the collection service sends it: those that name the invoice. */
const NAMING = [
  ...["documented", "bare", "envelope", "form", "form-json", "redirect", "events", "array"],
  ...["other-casing", "text-plain", "no-content-type", "strings", "unknown-event"],
];
const SILENT = ["redirect-bare", "empty", "head", "ping"];

/** A relay whose provider is the collection service. */
async function withService(): Promise<{ harness: Harness; service: TestService; callBackUrl: string }> {
  const harness = await startHarness();
  const service = await startTestService();
  onTestFinished(() => service.close());
  const relay = await startRelay(
    harness.environment({
      COLLECTION_API_URL: service.url,
      COLLECTION_API_KEY: LIVE_KEY,
      COLLECTION_IDS: OPEN_AMOUNT,
      RECONCILE_INTERVAL: "1d",
    }),
  );
  return { harness, service, callBackUrl: `${relay.url}/callbacks/${TOKEN}/order-17` };
}

const subjects = (harness: Harness) =>
  harness.sns.messages(harness.topicArn).map((message) => JSON.parse(message.message).subject);

describe("a payment told of by the collection service", () => {
  it("becomes one event each, in every variant of part C that names the invoice", async () => {
    const { harness, service, callBackUrl } = await withService();
    const rule = await service.control("PUT", "/faults", { callback: { variants: NAMING } });
    expect(rule.status).toBe(200);
    const ids: string[] = [];
    for (const _variant of NAMING) {
      const id = await service.create({ callBackUrl });
      expect((await service.control("POST", `/invoices/${id}/pay`)).status).toBe(200);
      ids.push(id);
    }
    await vi.waitFor(() => expect(subjects(harness)).toHaveLength(NAMING.length));
    expect(subjects(harness).sort()).toEqual(ids.sort());
    // Each by its own callback, not by reconciliation.
    const called = await harness.query(
      "select count(distinct invoice_ids[1])::int as n from callback where verdict is null",
    );
    expect(called).toEqual([{ n: NAMING.length }]);
  });

  it(`becomes one event even when its callback says nothing: ${SILENT}`, async () => {
    const { harness, service, callBackUrl } = await withService();
    const paid: string[] = [];
    for (const variant of SILENT) {
      // The sweep before is over, some minutes ago, and the next is a day away.
      await vi.waitFor(async () =>
        expect(await harness.query("select from sweep where finished_at is not null")).toHaveLength(
          paid.length + 1,
        ),
      );
      await harness.query("update sweep set started_at = started_at - interval '5 min' where state = 'done'");
      await service.control("PUT", "/faults", { callback: { variants: [variant] } });
      const id = await service.create({ callBackUrl });
      await service.control("POST", `/invoices/${id}/pay`);
      paid.push(id);
      await vi.waitFor(() => expect(subjects(harness)).toEqual(paid));
    }
    expect(await harness.query("select verdict from callback group by 1")).toEqual([{ verdict: "ping" }]);
  });
});
