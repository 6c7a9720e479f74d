import { describe, expect, it } from "vitest";
import { runCertifyJob } from "../../../src/pipeline/reconcile/certificate/certify.ts";
import { dayOf } from "../../../src/platform/values/time.ts";
import { PLAIN } from "./list-provider.ts";
import { placePayment } from "./place-payment.ts";
import { type Books, books, daysAgo, idsDue, pay, sweep } from "./relay-books.ts";

/** @returns whether the sweep read everything, the invoices that it opened, and its requests. */
async function swept(given: Books) {
  const before = given.provider.queries.length;
  const known = await idsDue(given);
  await sweep(given, { intervalMs: 0 });
  const [row] = await given.query<{ opened: number }>(
    "select opened from sweep where state = 'done' order by started_at desc limit 1",
  );
  const ids = (await idsDue(given)).filter((id) => !known.includes(id));
  const queries = given.provider.queries.slice(before);
  // Only a reading of everything asks for what was created this long ago.
  const whole = queries.some(
    (one) => !one.has("invoiceStatus") && (one.get("startDate") ?? "") < dayOf(daysAgo(30)),
  );
  return { ...row, ids, whole, requests: queries.length };
}

const QUIET = { whole: false, opened: 0, ids: [], requests: 2 };

/** As many payments on each of the last days as on every other, all complete, and swept once. */
async function steady(reading = {}) {
  const given = await books({ servedDays: 60 });
  given.provider.reading = { ...PLAIN, ...reading };
  for (let n = 0; n < 200; n += 1) pay(given, n % 20);
  expect(await swept(given)).toMatchObject({ whole: true, opened: 200 });
  return given;
}

describe("a sweep after the first one", () => {
  it.each(["createdAt", "paidAt"] as const)(
    "asks for the last two days and a count, dated by %s (G12)",
    async (dates) => {
      const given = await steady({ dates });
      expect(await swept(given)).toEqual(QUIET);
      const [recent, count] = given.provider.queries.slice(-2);
      expect(recent?.get("invoiceStatus")).toBeNull();
      expect([count?.get("invoiceStatus"), count?.get("pageSize")]).toEqual(["Paid", "1"]);
      // What is new is found there.
      const id = pay(given, 0);
      expect(await swept(given)).toMatchObject({ whole: false, opened: 1, ids: [id] });
    },
  );

  it("finds the late payment of an old invoice by the count, and a payment that the list shows no longer", async () => {
    const given = await steady();
    const id = pay(given, 15, { paidAt: new Date() });
    const { requests, ...found } = await swept(given);
    expect(found).toEqual({ whole: false, opened: 1, ids: [id] });
    expect(requests).toBeLessThan(12);
    given.provider.invoices.splice(-20, 1);
    expect(await swept(given)).toMatchObject({ whole: false, opened: 0 });
    expect(await swept(given)).toEqual(QUIET);
  });

  it("that was interrupted looks at what came since, wherever it stood", async () => {
    const given = await steady();
    // Schedules the next one.
    await sweep(given);
    const id = pay(given, 0);
    await given.query(
      `update sweep set decided_to = 'ffffffff-ffff-ffff-ffff-ffffffffffff', due_at = now() where state = 'due'`,
    );
    expect((await swept(given)).ids).toEqual([id]);
  });

  it("reads everything where the list does not count", async () => {
    const given = await steady({ counts: false });
    const id = pay(given, 15);
    expect(await swept(given)).toMatchObject({ whole: true, opened: 1, ids: [id] });
  });

  it("finds out that counts show nothing, and reads everything then", async () => {
    const given = await steady();
    // Until now its dates could mean creation.
    given.provider.reading = { ...given.provider.reading, dates: "paidAt" };
    const id = pay(given, 15, { paidAt: daysAgo(5) });
    expect(await swept(given)).toMatchObject({ whole: false, ids: [id] });
    expect(await swept(given)).toMatchObject({ whole: true });
    expect(await swept(given)).toMatchObject({ whole: false, requests: 2 });
  });

  it("reads everything once a day, unless the daily certificate did: then it repairs what that has seen", async () => {
    const given = await steady();
    const readLongAgo = "update listed_collection set read_at = read_at - interval '26 hours'";
    await given.query(readLongAgo);
    expect(await swept(given)).toMatchObject({ whole: true });
    await given.query(readLongAgo);
    const lost = await placePayment(given, { paidAt: daysAgo(5), came: 3 });
    for (const _ of ["is scheduled", "is made"]) {
      await runCertifyJob(given.context, given.context.signal);
      await given.query("update certificate set due_at = now() where state = 'due'");
    }
    expect(await given.query("select state from certificate")).toEqual([{ state: "done" }]);
    expect(await swept(given)).toMatchObject({ whole: false, opened: 1 });
    expect(
      await given.query("select invoice_id as id from event join outbox on outbox.event_id = event.id"),
    ).toEqual([{ id: lost }]);
  });
});
