import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { certifyPass } from "../../src/reconcile/certificate/certify.ts";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { PLAIN } from "./list-provider.ts";
import { placePayment } from "./place-payment.ts";
import { type Books, books, daysAgo } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

/** @returns why the sweep read everything, the invoices that it opened, and its requests. */
async function sweep(given: Books) {
  const before = given.provider.queries.length;
  const open = "select invoice_id as id from confirmation where state = 'due'";
  const known = new Set((await given.query<{ id: string }>(open)).map(({ id }) => id));
  await sweepPass({ ...given.context, intervalMs: 0 }, GO_ON);
  const [row] = await given.query<{ whole: string | null; opened: number }>(
    "select whole, opened from sweep where state = 'done' order by started_at desc limit 1",
  );
  const opened = (await given.query<{ id: string }>(open)).map(({ id }) => id).filter((id) => !known.has(id));
  return { ...row, ids: opened, requests: given.provider.queries.length - before };
}

const PER_DAY = 10;

/** As many payments on each of the last days as on every other, all complete, and swept once. */
async function steady(reading = {}) {
  const given = await books({ servedDays: 60 });
  given.provider.reading = { ...PLAIN, ...reading };
  for (let day = 0; day < 20; day += 1)
    for (let n = 0; n < PER_DAY; n += 1)
      given.provider.invoices.push({ id: randomUUID(), createdAt: daysAgo(day), paidAt: daysAgo(day) });
  expect(await sweep(given)).toMatchObject({ whole: "first", opened: 20 * PER_DAY });
  return given;
}

const late = (given: Books, changes = {}) => {
  const id = randomUUID();
  given.provider.invoices.push({ id, createdAt: daysAgo(15), paidAt: new Date(), ...changes });
  return id;
};

describe("a sweep after the first one", () => {
  it.each(["createdAt", "paidAt"] as const)(
    "asks for the last two days and a count, dated by %s (G12)",
    async (dates) => {
      const given = await steady({ dates });
      expect(await sweep(given)).toEqual({ whole: null, opened: 0, ids: [], requests: 3 });
      const [recent, tests, count] = given.provider.queries.slice(-3);
      expect(recent?.get("invoiceStatus")).toBeNull();
      expect(tests?.get("invoiceType")).toBe("Test");
      expect([count?.get("invoiceStatus"), count?.get("pageSize")]).toEqual(["Paid", "1"]);
      // What is new is found there.
      const id = late(given, { createdAt: new Date() });
      expect(await sweep(given)).toMatchObject({ whole: null, opened: 1, ids: [id] });
    },
  );

  it("finds the late payment of an old invoice by the count, and a payment that the list shows no longer", async () => {
    const given = await steady();
    const id = late(given);
    const { requests, ...found } = await sweep(given);
    expect(found).toEqual({ whole: null, opened: 1, ids: [id] });
    expect(requests).toBeLessThan(12);
    given.provider.invoices.splice(-20, 1);
    expect(await sweep(given)).toMatchObject({ whole: null, opened: 0 });
    expect(await sweep(given)).toEqual({ whole: null, opened: 0, ids: [], requests: 3 });
  });

  it("that was interrupted looks at what came since, wherever it stood", async () => {
    const given = await steady();
    // Schedules the next one.
    await sweepPass(given.context, GO_ON);
    const id = late(given, { createdAt: new Date() });
    await given.query(
      `update sweep set decided_to = 'ffffffff-ffff-ffff-ffff-ffffffffffff', due_at = now() where state = 'due'`,
    );
    expect((await sweep(given)).ids).toEqual([id]);
  });

  it("reads everything where the list does not count", async () => {
    const given = await steady({ counts: false });
    const id = late(given, { datePaid: daysAgo(15).toISOString() });
    expect(await sweep(given)).toMatchObject({ whole: "uncounted", opened: 1, ids: [id] });
  });

  it("finds out that counts show nothing, and reads everything then", async () => {
    const given = await steady();
    // Until now its dates could mean creation.
    given.provider.reading = { ...given.provider.reading, dates: "paidAt" };
    const id = late(given, { paidAt: daysAgo(5) });
    expect(await sweep(given)).toMatchObject({ whole: null, ids: [id] });
    expect(await sweep(given)).toMatchObject({ whole: "uncounted" });
    expect(await sweep(given)).toMatchObject({ whole: null, requests: 3 });
  });

  it("reads everything once a day, unless the daily certificate did: then it repairs what that has seen", async () => {
    const given = await steady();
    await given.query("update listed_collection set read_at = read_at - interval '26 hours'");
    expect(await sweep(given)).toMatchObject({ whole: "daily" });
    await given.query("update listed_collection set read_at = read_at - interval '26 hours'");
    const lost = await placePayment(given, { paidAt: daysAgo(5), came: 3 });
    await given.query("update certificate set due_at = now()");
    await certifyPass(given.context, GO_ON);
    await given.query("update certificate set due_at = now()");
    await certifyPass(given.context, GO_ON);
    expect(await given.query("select state from certificate")).toEqual([{ state: "done" }]);
    expect(await sweep(given)).toMatchObject({ whole: null, opened: 1 });
    expect(
      await given.query("select invoice_id as id from event join outbox on outbox.event_id = event.id"),
    ).toEqual([{ id: lost }]);
  });
});
