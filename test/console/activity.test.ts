import { describe, expect, it, vi } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { ActivityBook, activityBook, latencyOf } from "../../src/operate/activity.ts";
import { adminApi } from "../support/admin.ts";
import { openDatabase } from "../support/database.ts";
import { addCallback, addConfirmation, addEvents } from "../support/log-rows.ts";
import { surroundings } from "../support/relay.ts";

describe("activity", () => {
  it("counts callbacks, confirmed payments and acceptances by the minute", async () => {
    const around = await surroundings();
    const now = new Date("2026-10-01T00:10:30Z");
    for (const second of [10, 20, 70, 600])
      await addCallback(around, {
        id: newId(),
        received_at: new Date(Date.UTC(2026, 9, 1) + second * 1_000),
      });
    await addEvents(around, 61);
    const book = new ActivityBook(openDatabase(around.databaseUrl), 60);
    const first = await book.count(12, now);
    expect(first).toHaveLength(12);
    expect(first[0]?.at).toEqual(new Date("2026-09-30T23:59:00Z"));
    const counts = first.map(({ received, confirmed, published }) => [received, confirmed, published]);
    expect(counts[0]).toEqual([0, 0, 0]);
    expect(counts[1]).toEqual([2, 59, 59]);
    expect(counts[2]).toEqual([1, 2, 2]);
    expect(counts[11]).toEqual([1, 0, 0]);
    // What is over is remembered; the last minutes are counted again.
    await addCallback(around, { id: newId(), received_at: new Date("2026-10-01T00:00:50Z") });
    await addCallback(around, { id: newId(), received_at: new Date("2026-10-01T00:09:59Z") });
    const second = await book.count(12, now);
    expect(second.map(({ received }) => received)).toEqual([0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
  });

  it("counts in longer steps, each remembered once it is over", async () => {
    const around = await surroundings();
    const now = new Date("2026-10-01T05:10:00Z");
    for (const at of ["00:00:10", "01:59:59", "02:00:00", "05:09:00"])
      await addCallback(around, { id: newId(), received_at: new Date(`2026-10-01T${at}Z`) });
    const book = new ActivityBook(openDatabase(around.databaseUrl), 3, 7_200_000);
    const received = async () => (await book.count(3, now)).map((step) => step.received);
    expect((await book.count(3, now)).map(({ at }) => at.toISOString().slice(11, 13))).toEqual([
      "00",
      "02",
      "04",
    ]);
    expect(await received()).toEqual([2, 1, 1]);
    for (const at of ["00:30:00", "05:09:30"])
      await addCallback(around, { id: newId(), received_at: new Date(`2026-10-01T${at}Z`) });
    expect(await received()).toEqual([2, 1, 2]);
  });

  it("of a day and of a week is given over HTTP, and the collections that payments came in", async () => {
    const { call, around, relay } = await adminApi({}, { http: true, workers: true });
    const id = around.provider.paid();
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => expect(await around.query("select 1 from publication")).toHaveLength(1));
    for (const [range, steps, stepMinutes] of [
      ["24h", 96, 15],
      ["7d", 84, 120],
    ] as const) {
      const { body } = await call("GET", `/activity/history?range=${range}`);
      expect(body).toMatchObject({ stepMinutes });
      expect(body.steps).toHaveLength(steps);
      const last = body.steps.slice(-2) as { received: number; confirmed: number; published: number }[];
      const sum = (what: "received" | "confirmed" | "published") =>
        last.reduce((total, step) => total + step[what], 0);
      expect([sum("received"), sum("confirmed"), sum("published")]).toEqual([1, 1, 1]);
    }
    const [stored] = await around.query<{ collection_name: string }>("select collection_name from invoice");
    expect((await call("GET", "/collections")).body.items).toEqual([
      { source: "default", name: stored?.collection_name },
    ]);
  });

  it("knows how long payments took, from the callback that asked to SNS", async () => {
    const around = await surroundings();
    const [event, other] = await addEvents(around, 2);
    const asked = { opened_at: "2026-09-30T23:59:58Z", requested_at: "2026-10-01T00:00:00Z" };
    await addConfirmation(around, { invoice_id: event?.invoiceId, ...asked });
    await addConfirmation(around, { invoice_id: other?.invoiceId, opened_by: "reconcile" });
    const { latency } = await activityBook(openDatabase(around.databaseUrl))(1);
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
