import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import {
  type ListPeriod,
  nextStep,
  type PaidWindow,
  periodFor,
} from "../../src/reconcile/list/list-period.ts";
import { ListReader } from "../../src/reconcile/list/list-reader.ts";
import { EACH_TYPE, type ListedPayment } from "../../src/reconcile/list/listed-payment.ts";
import { COLLECTION, type ListProvider, PLAIN, type Reading, startListProvider } from "./list-provider.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LOOKBACK_MS = 35 * DAY_MS;

function listOf(provider: ListProvider) {
  const account = collectionApiProvider({ baseUrl: provider.url, apiKey: "key" });
  onTestFinished(() => account.close());
  const shown: ListedPayment[] = [];
  let last = { reading: 0, ids: new Set<string>() };
  const reader = new ListReader({
    source: {
      name: "default",
      collectionIds: [COLLECTION],
      liveTopicArn: "",
      testTopicArn: null,
      provider: account,
      ratePerSecond: null,
      paidStatuses: ["Paid"],
      invalidStatuses: [],
      timeZone: "UTC",
      booksTimeZone: "UTC",
      currency: "NGN",
      lookbackMs: LOOKBACK_MS,
      retentionMs: LOOKBACK_MS,
    },
    collectionId: COLLECTION,
    call: (call) => call(),
    sink: {
      async take(reading, ids, paid) {
        if (last.reading !== reading) last = { reading, ids: new Set() };
        const before = last.ids.size;
        for (const id of ids) last.ids.add(id);
        shown.push(...paid);
        return last.ids.size - before;
      },
    },
    signal: new AbortController().signal,
  });
  return { reader, shown };
}

async function readWindow({ reader, shown }: ReturnType<typeof listOf>, window: PaidWindow) {
  shown.length = 0;
  for (let rest: ListPeriod | null = periodFor(window, LOOKBACK_MS); rest !== null; ) {
    const next: ReturnType<typeof nextStep> = nextStep(rest);
    expect(await reader.read(next.step, EACH_TYPE)).toEqual([]);
    rest = next.rest;
  }
  const found = new Map<string, Set<string | null>>();
  for (const { invoiceId, paidAt, asked } of shown)
    if (paidAt !== null && paidAt >= window.from && paidAt < window.to)
      found.set(invoiceId, (found.get(invoiceId) ?? new Set()).add(asked));
  return found;
}

const readings: fc.Arbitrary<Reading> = fc.record({
  datesMean: fc.constantFrom("creation", "payment"),
  zoneHours: fc.integer({ min: -12, max: 14 }),
  includesFirst: fc.boolean(),
  includesLast: fc.boolean(),
  hidesTest: fc.boolean(),
  order: fc.constantFrom("newest first", "oldest first", "by id"),
  ignoresFilters: fc.boolean(),
  hides: fc.constant(0),
});

// Hours of payment within the window, and hours from creation to payment.
const payments = fc.array(
  fc.record({
    hour: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    age: fc.double({ min: 0, max: LOOKBACK_MS / HOUR_MS, noNaN: true }),
    type: fc.constantFrom("Live" as const, "Test" as const),
  }),
  { maxLength: 12 },
);

describe("the list of paid invoices", () => {
  it("shows every payment of the window, whatever the list's dates, order and filters mean (G10)", async () => {
    const provider = await startListProvider();
    const list = listOf(provider);
    await fc.assert(
      fc.asyncProperty(
        readings,
        payments,
        fc.integer({ min: 0, max: 47 }),
        fc.integer({ min: 1, max: 24 * 20 }),
        async (reading, given, startHour, hours) => {
          const from = new Date(Date.UTC(2026, 9, 1, startHour));
          const window = { from, to: new Date(from.getTime() + hours * HOUR_MS) };
          provider.reading = reading;
          provider.invoices = given.map(({ hour, age, type }) => {
            const paidAt = new Date(from.getTime() + Math.floor(hour * hours * HOUR_MS));
            const createdAt = new Date(paidAt.getTime() - age * HOUR_MS);
            return { id: randomUUID(), paidAt, createdAt, type };
          });
          const found = await readWindow(list, window);
          expect([...found.keys()].sort()).toEqual(provider.invoices.map(({ id }) => id).sort());
        },
      ),
      { numRuns: 120 },
    );
  });

  it("tells Live from Test by which filter finds an invoice", async () => {
    const provider = await startListProvider();
    const [live, test] = [randomUUID(), randomUUID()];
    const paidAt = new Date("2026-10-02T10:00:00Z");
    provider.invoices = [
      { id: live, createdAt: paidAt, paidAt },
      { id: test, createdAt: paidAt, paidAt, type: "Test" },
    ];
    const window = { from: new Date("2026-10-01"), to: new Date("2026-10-03") };
    const list = listOf(provider);
    expect(Object.fromEntries(await readWindow(list, window))).toEqual({
      [live]: new Set([null, "Live"]),
      [test]: new Set([null, "Test"]),
    });
    provider.reading = { ...PLAIN, hidesTest: true };
    expect((await readWindow(list, window)).get(test)).toEqual(new Set(["Test"]));
  });

  it("hands on whatever the provider lists as paid, whatever it calls that", async () => {
    const provider = await startListProvider();
    provider.reading = { ...PLAIN, ignoresFilters: true };
    const paidAt = new Date("2026-10-02T10:00:00Z");
    const statuses = ["Paid", " PAID ", "Unpaid", "Invalidated", "PartiallyPaid"];
    provider.invoices = statuses.map((status) => ({ id: randomUUID(), createdAt: paidAt, paidAt, status }));
    const window = { from: new Date("2026-10-01"), to: new Date("2026-10-03") };
    const found = await readWindow(listOf(provider), window);
    expect([...found.keys()].sort()).toEqual(provider.invoices.map(({ id }) => id).sort());
  });

  it("asks for shorter periods where the list contradicts itself, uses what it shows, and says what is in doubt", async () => {
    const provider = await startListProvider();
    const day = (n: number) => new Date(Date.UTC(2026, 9, n, 12));
    const settled = [1, 2, 3, 4, 5].map((n) => ({ id: randomUUID(), createdAt: day(n), paidAt: day(n) }));
    const leaving = Array.from({ length: 200 }, () => ({
      id: randomUUID(),
      createdAt: day(12),
      paidAt: day(12),
    }));
    provider.invoices = [...settled, ...leaving];
    // One of the 12th is refunded before every page.
    const refund = () => void provider.invoices.splice(5, 1);
    provider.beforePage = refund;
    const { reader, shown } = listOf(provider);
    const unproven = await reader.read({ first: "2026-10-01", last: "2026-10-13" }, [null]);
    expect(unproven.length).toBeGreaterThan(0);
    expect(unproven.every(({ first, last }) => first <= "2026-10-12" && last >= "2026-10-12")).toBe(true);
    expect(settled.every(({ id }) => shown.some(({ invoiceId }) => invoiceId === id))).toBe(true);
    // Now only who asks for long periods is slow enough to meet a refund.
    provider.invoices = [...settled, ...leaving];
    provider.beforePage = () => {
      const query = provider.queries.at(-1);
      if (Date.parse(query?.get("endDate") ?? "") - Date.parse(query?.get("startDate") ?? "") > 4 * DAY_MS)
        refund();
    };
    expect(await reader.read({ first: "2026-10-01", last: "2026-10-13" }, [null])).toEqual([]);
  });

  it("names an item whose id is none, and one without a status counts as what was asked for", async () => {
    const provider = await startListProvider();
    const paidAt = new Date("2026-10-02T10:00:00Z");
    const bare = randomUUID();
    provider.invoices = [
      { id: bare, createdAt: paidAt, paidAt, status: "" },
      { id: "INV-7", createdAt: paidAt, paidAt },
    ];
    provider.reading = { ...PLAIN, ignoresFilters: true };
    const { reader, shown } = listOf(provider);
    expect(await reader.read({ first: "2026-10-01", last: "2026-10-03" }, [null])).toEqual([]);
    expect(shown).toMatchObject([{ invoiceId: bare, label: null, saysPaid: true }]);
    expect([...reader.unusable.values()]).toMatchObject([{ id: "inv-7", status: "Paid" }]);
  });
});
