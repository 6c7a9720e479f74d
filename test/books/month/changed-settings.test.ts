import { describe, expect, it } from "vitest";
import type { BookSource } from "../../../src/books/book-source.ts";
import { noteMonthChanges } from "../../../src/books/month/month-changes.ts";
import { readPayments } from "../../../src/books/report/read-payments.ts";
import { showMonth } from "../../../src/operate/months.ts";
import { closableMonth } from "./closable-month.ts";

const OCTOBER = { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" };
const AT = "2026-10-10T12:00:00Z";
const OTHER = "c0113c70-0000-4000-8000-0000000000c2";

/** A closed month: two payments of ours, one of a status that is not paid, one that was released, of others. */
async function closedMonth() {
  const month = await closableMonth([
    { amount: "10.00", paidAt: AT },
    { amount: "20.00", paidAt: "2026-10-31T23:30:00Z" },
    { amount: "40.00", paidAt: AT, status: "Settled" },
    { amount: "80.00", paidAt: AT, collection: "Others", releasedAt: AT },
  ]);
  await month.certify({ ...OCTOBER, days: { "2026-10-10": [1000], "2026-10-31": [2000] } });
  const { closing } = await month.close();
  await month.around.query("delete from late_change");
  const alarm = async () => {
    const [one] = await month.around.query<{ detail: string }>(
      "select detail from alarm where name = 'closed_month_changed' and cleared_at is null",
    );
    return one?.detail;
  };
  return { ...month, closing, alarm };
}

/** What a report of October says with these settings. */
async function reported(
  { db, source }: Awaited<ReturnType<typeof closedMonth>>,
  settings: Partial<BookSource>,
) {
  const of = { ...source, ...settings };
  const from = new Date(of.zone === "UTC" ? OCTOBER.from : "2026-09-30T23:00:00Z");
  const to = new Date(of.zone === "UTC" ? OCTOBER.to : "2026-10-31T23:00:00Z");
  let sum = 0;
  for await (const { amount } of readPayments(db, { source: of, from, to, forSums: true }))
    sum += Number(amount);
  return sum;
}

const CHANGES: Record<
  string,
  [Partial<BookSource>, { index: number; before: string | null; after: string | null }]
> = {
  "PAID_STATUSES name one more": [
    { paidStatuses: ["Paid", "settled"] },
    { index: 2, before: null, after: "40.00" },
  ],
  "BOOKS_TIME_ZONE is another": [{ zone: "Africa/Lagos" }, { index: 1, before: "20.00", after: null }],
  "COLLECTION_IDS name one more": [
    { collectionIds: ["c0113c70-0000-4000-8000-0000000000c1", OTHER] },
    { index: 3, before: null, after: "80.00" },
  ],
};

describe.each(Object.entries(CHANGES))(
  "a month was closed, and then %s",
  (_, [settings, { index, ...change }]) => {
    it("each payment that counts no more, or now, is an addendum with the alarm, so that reports equal both", async () => {
      const month = await closedMonth();
      await month.around.query(
        `insert into certificate (id, source, window_from, window_to, collection_ids, state, finished_at, gaps, result, document)
       values (gen_random_uuid(), 'default', '2026-11-01', '2026-11-02', array[$1::uuid], 'done', now(), 0, 'equal', $2)`,
        [OTHER, JSON.stringify({ days: [], collections: [{ id: OTHER, name: "Others" }] })],
      );
      expect((await month.noteChanges()).raised).toEqual([]);

      const { raised } = await month.noteChanges(settings);

      expect(raised).toMatchObject([{ subject: "2026-10" }]);
      expect(await month.changes()).toEqual([{ id: month.ids[index], ...change }]);
      const [shown] = await showMonth(month.db, [{ ...month.source, ...settings }], "2026-10");
      expect(shown?.closing.all.amount).toBe("30.00");
      expect(shown?.now.amount).toBe((await reported(month, settings)).toFixed(2));
      // Once, and back when the setting is what it was.
      expect((await month.noteChanges(settings)).raised).toEqual([]);
      await month.noteChanges();
      const [, back] = await month.changes();
      expect(back).toEqual({ id: month.ids[index], before: change.after, after: change.before });
    });
  },
);

it("a closed month whose currency is another is told, though no payment changed", async () => {
  const month = await closedMonth();
  expect((await month.noteChanges({ currency: "GBP" })).raised).toHaveLength(1);
  expect(await month.alarm()).toContain("2026-10 was closed in NGN, and CURRENCY is GBP now");
  expect(await month.changes()).toEqual([]);
  expect((await month.noteChanges({ currency: "GBP" })).raised).toEqual([]);
});

it("a process that is asked to end leaves the comparison of a whole month to the next", async () => {
  const month = await closedMonth();
  const sources = [{ ...month.source, currency: "GBP" }];
  expect(await noteMonthChanges(month.db, sources, AbortSignal.abort())).toEqual({ raised: [], more: true });
  expect((await noteMonthChanges(month.db, sources)).raised).toHaveLength(1);
});

it("a closing remembers the settings that it was made with, and says which are others now", async () => {
  const month = await closedMonth();
  expect(month.closing?.settings).toEqual({
    collectionIds: month.source.collectionIds,
    paidStatuses: ["Paid"],
  });
  const now = {
    zone: "Africa/Lagos",
    currency: "GBP",
    collectionIds: [OTHER],
    paidStatuses: ["Paid", "Settled"],
  };
  const [shown] = await showMonth(month.db, [{ ...month.source, ...now }], "2026-10");
  expect(shown?.settingsChanged).toEqual([
    { setting: "BOOKS_TIME_ZONE", closed: "UTC", now: "Africa/Lagos" },
    { setting: "CURRENCY", closed: "NGN", now: "GBP" },
    { setting: "COLLECTION_IDS", closed: month.source.collectionIds.join(","), now: OTHER },
    { setting: "PAID_STATUSES", closed: "Paid", now: "Paid,Settled" },
  ]);
  const [same] = await showMonth(month.db, [month.source], "2026-10");
  expect(same?.settingsChanged).toEqual([]);
});

it("two changes of a day that cancel each other are two addenda, and the alarm counts both", async () => {
  const month = await closableMonth([
    { amount: "10.00", paidAt: AT },
    { amount: "20.00", paidAt: AT },
  ]);
  await month.certify({ ...OCTOBER, days: { "2026-10-10": [1000, 2000] } });
  await month.close();
  await month.around.query("update invoice set amount = 30 - amount");
  const { raised } = await month.noteChanges();
  expect(raised[0]?.detail).toContain("2 payments of 2026-10 changed after it was closed: NGN 0.00 in all.");
  expect(await month.changes()).toEqual(
    expect.arrayContaining([
      { id: month.ids[0], before: "10.00", after: "20.00" },
      { id: month.ids[1], before: "20.00", after: "10.00" },
    ]),
  );
});
