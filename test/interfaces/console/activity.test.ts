import { describe, expect, it } from "vitest";
import { ActivityBook, activityBook, latencyOf } from "../../../src/operations/activity.ts";
import { newId } from "../../../src/platform/values/ids.ts";
import { openDatabase } from "../../support/database.ts";
import { addCallback, addConfirmation, addEvents } from "../../support/log-rows.ts";
import { startHarness } from "../../support/relay.ts";

describe("activity", () => {
  it("counts callbacks, confirmed payments and acceptances by the minute", async () => {
    const harness = await startHarness();
    const now = new Date("2026-10-01T00:10:30Z");
    for (const second of [10, 20, 70, 600])
      await addCallback(harness, {
        id: newId(),
        received_at: new Date(Date.UTC(2026, 9, 1) + second * 1_000),
      });
    await addEvents(harness, 61);
    const book = new ActivityBook(openDatabase(harness.databaseUrl));
    const hour = await book.count(now);
    expect(hour).toHaveLength(60);
    const first = hour.slice(-12);
    expect(first[0]?.at).toEqual(new Date("2026-09-30T23:59:00Z"));
    const counts = first.map(({ received, confirmed, published }) => [received, confirmed, published]);
    expect(counts[0]).toEqual([0, 0, 0]);
    expect(counts[1]).toEqual([2, 59, 59]);
    expect(counts[2]).toEqual([1, 2, 2]);
    expect(counts[11]).toEqual([1, 0, 0]);
    // What is over is remembered; the last minutes are counted again.
    await addCallback(harness, { id: newId(), received_at: new Date("2026-10-01T00:00:50Z") });
    await addCallback(harness, { id: newId(), received_at: new Date("2026-10-01T00:09:59Z") });
    const second = (await book.count(now)).slice(-12);
    expect(second.map(({ received }) => received)).toEqual([0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
  });

  it("knows how long payments took, from the callback that asked to SNS", async () => {
    const harness = await startHarness();
    const [event, other] = await addEvents(harness, 2);
    const asked = { opened_at: "2026-09-30T23:59:58Z", requested_at: "2026-10-01T00:00:00Z" };
    await addConfirmation(harness, { invoice_id: event?.invoiceId, ...asked });
    await addConfirmation(harness, { invoice_id: other?.invoiceId, opened_by: "reconcile" });
    const { latency } = await activityBook(openDatabase(harness.databaseUrl))();
    expect(latency).toEqual({ p50Ms: 1_000, p95Ms: 1_000, p99Ms: 1_000, payments: 1 });
    expect(latencyOf([])).toBeNull();
    expect(latencyOf(Array.from({ length: 100 }, (_, n) => 100 - n))).toEqual({
      p50Ms: 50,
      p95Ms: 95,
      p99Ms: 99,
      payments: 100,
    });
  });
});
