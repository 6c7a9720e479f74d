import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { CollectionClient } from "../../src/collection-api/index.ts";
import { nextStep, type PaidWindow, periodFor } from "../../src/reconcile/list-period.ts";
import { EACH_TYPE, PaidList } from "../../src/reconcile/paid-list.ts";
import { COLLECTION, type ListProvider, PLAIN, type Reading, startListProvider } from "./list-provider.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LOOKBACK_MS = 35 * DAY_MS;

async function listOf(provider: ListProvider) {
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key", retries: 0 });
  onTestFinished(() => client.close());
  return new PaidList({
    source: {
      name: "default",
      collectionIds: [COLLECTION],
      liveTopicArn: "",
      client,
      ratePerSecond: null,
      paidStatuses: ["Paid"],
      timeZone: "UTC",
      lookbackMs: LOOKBACK_MS,
    },
    collectionId: COLLECTION,
    beforePage: async () => undefined,
    signal: new AbortController().signal,
  });
}

async function readWindow(list: PaidList, window: PaidWindow) {
  const found = new Map<string, Set<string | null>>();
  for (let rest: ReturnType<typeof nextStep>["rest"] = periodFor(window, LOOKBACK_MS); rest !== null; ) {
    const next = nextStep(rest);
    for await (const { payment, asked } of list.read(next.step, EACH_TYPE)) {
      if (payment.paidAt !== null && payment.paidAt >= window.from && payment.paidAt < window.to)
        found.set(payment.invoiceId, (found.get(payment.invoiceId) ?? new Set()).add(asked));
    }
    rest = next.rest;
  }
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
    const list = await listOf(provider);
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

  it("tells Live from Test by which question finds an invoice", async () => {
    const provider = await startListProvider();
    const [live, test] = [randomUUID(), randomUUID()];
    const paidAt = new Date("2026-10-02T10:00:00Z");
    provider.invoices = [
      { id: live, createdAt: paidAt, paidAt },
      { id: test, createdAt: paidAt, paidAt, type: "Test" },
    ];
    const window = { from: new Date("2026-10-01"), to: new Date("2026-10-03") };
    const list = await listOf(provider);
    expect(Object.fromEntries(await readWindow(list, window))).toEqual({
      [live]: new Set([null, "Live"]),
      [test]: new Set([null, "Test"]),
    });
    provider.reading = { ...PLAIN, hidesTest: true };
    expect((await readWindow(list, window)).get(test)).toEqual(new Set(["Test"]));
  });

  it("leaves out what is not paid although the provider lists it, and takes Paid in any case", async () => {
    const provider = await startListProvider();
    provider.reading = { ...PLAIN, ignoresFilters: true };
    const paidAt = new Date("2026-10-02T10:00:00Z");
    const statuses = ["Paid", " PAID ", "Unpaid", "Invalidated", "PartiallyPaid"];
    provider.invoices = statuses.map((status) => ({ id: randomUUID(), createdAt: paidAt, paidAt, status }));
    const window = { from: new Date("2026-10-01"), to: new Date("2026-10-03") };
    const found = await readWindow(await listOf(provider), window);
    expect([...found.keys()].sort()).toEqual(
      provider.invoices
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it("asks for shorter periods where the list keeps changing, and fails when even those do", async () => {
    const provider = await startListProvider();
    const day = (n: number) => new Date(Date.UTC(2026, 9, n, 12));
    const settled = [1, 2, 3, 4, 5].map((n) => ({ id: randomUUID(), createdAt: day(n), paidAt: day(n) }));
    provider.invoices = [...settled];
    const pay = () => void provider.invoices.push({ id: randomUUID(), createdAt: day(12), paidAt: day(12) });
    for (let n = 0; n < 120; n += 1) pay();
    // Someone pays on the 12th before every page.
    provider.beforePage = pay;
    const list = await listOf(provider);
    const found = new Set<string>();
    const read = async () => {
      for await (const { payment } of list.read({ first: "2026-10-01", last: "2026-10-13" }, [null]))
        found.add(payment.invoiceId);
    };
    await expect(read()).rejects.toMatchObject({ kind: "list_unstable" });
    // Now only who asks for long periods is slow enough to meet a payment.
    provider.beforePage = () => {
      const query = provider.queries.at(-1);
      if (Date.parse(query?.get("endDate") ?? "") - Date.parse(query?.get("startDate") ?? "") > 4 * DAY_MS)
        pay();
    };
    found.clear();
    await read();
    expect(settled.every(({ id }) => found.has(id))).toBe(true);
  });
});
