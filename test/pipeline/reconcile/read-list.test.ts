import { describe, expect, it } from "vitest";
import {
  ListReader,
  type ListReaderOptions,
  ListUnreadable,
} from "../../../src/pipeline/reconcile/list/list-reader.ts";
import type { ListedPayment } from "../../../src/pipeline/reconcile/list/listed-payment.ts";
import type { ReconcileSource } from "../../../src/pipeline/reconcile/reconcile-source.ts";
import type {
  AskOptions,
  InvoicePage,
  ListedInvoice,
  PageAnswer,
  PageRequest,
  Provider,
} from "../../../src/provider/provider.ts";

const COLLECTION = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const WEEK = { first: "2026-10-01", last: "2026-10-08" };
/** Too short to be read in two. */
const SHORT = { first: "2026-10-01", last: "2026-10-03" };

const id = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;
const item = (changes: Partial<ListedInvoice> = {}) =>
  ({
    id: id(1),
    status: "Paid",
    amount: "10.00",
    datePaid: null,
    dateCreated: null,
    ...changes,
  }) as ListedInvoice;
const items = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => item({ id: id(first + index) }));
const page = (shown: ListedInvoice[], changes: Partial<InvoicePage> = {}): PageAnswer => ({
  kind: "page",
  page: {
    items: shown,
    ...{ page: null, pageSize: null, totalCount: shown.length, hasNextPage: null, hasPreviousPage: null },
    ...changes,
  } as InvoicePage,
});

const stop = new AbortController().signal;
const FAULT = { kind: "fault", error: "HTTP 502." } as const;
const RATE_LIMITED = { kind: "rate_limited", error: "429", retryAfterMs: null } as const;
const NOT_FOUND = { kind: "not_found", inOwnWords: true, error: "no such page" } as const;
const OUTSIDE = { kind: "outside_contract", error: "items should be a list", evidence: "{}" } as const;

/** A reader whose provider answers as the test says; keeps what was asked for and what the sink received. */
function listOf(
  answer: (request: PageRequest) => PageAnswer,
  options: Partial<ListReaderOptions> = {},
  paidStatuses = ["Paid"],
) {
  const asked: PageRequest[] = [];
  const shown: ListedPayment[] = [];
  const provider = {
    async readPage(request: PageRequest, { signal }: AskOptions) {
      expect(signal).toBe(stop);
      asked.push(request);
      return answer(request);
    },
  } as unknown as Provider;
  const reader = new ListReader({
    source: { provider, paidStatuses, invalidStatuses: [], timeZone: "UTC" } as unknown as ReconcileSource,
    collectionId: COLLECTION,
    async sink(paid) {
      shown.push(...paid);
    },
    call: (call) => call(),
    signal: stop,
    ...options,
  });
  const pages = () => asked.map((request) => request.page);
  return { asked, pages, reader, shown };
}

const ONE = page([item()], { totalCount: 1, hasNextPage: false });

describe("what is asked for", () => {
  it("is each status that means paid, then all of them", async () => {
    const { asked, reader } = listOf(() => ONE, {}, ["Paid", " Settled "]);
    expect(await reader.readWhole(WEEK)).toEqual([]);
    const days = { startDate: WEEK.first, endDate: WEEK.last };
    const first = { collectionId: COLLECTION, page: 1, pageSize: 100, ...days };
    expect(asked).toEqual([
      { ...first, invoiceStatus: "Paid" },
      { ...first, invoiceStatus: "Settled" },
      first,
    ]);
    expect(reader.pages).toBe(3);
  });

  it("of all of them, is what may be paid", async () => {
    const statuses = ["Paid", " PAID ", "Unpaid", null, " ", "Overpaid"];
    const list = statuses.map((status, index) => item({ id: id(index), status }));
    const { reader, shown } = listOf(() => page(list, { totalCount: 6, hasNextPage: false }));
    expect(await reader.readNew(WEEK)).toEqual([]);
    expect(shown.map(({ invoiceId }) => invoiceId)).toEqual([id(0), id(1), id(3), id(4), id(5)]);
  });

  it("is each page once, where the list counts", async () => {
    const { pages, reader } = listOf(({ page: number }) =>
      page(items(number * 10, 2), { totalCount: 6, hasNextPage: number < 3 }),
    );
    expect(await reader.readPaid(WEEK)).toEqual([]);
    expect(pages()).toEqual([1, 2, 3]);
  });

  it("is the list in parts, of which a process can keep the ids; of a week where it does not count (G8)", async () => {
    const days = { first: "2026-10-01", last: "2026-10-21" };
    const partsOf = (totalCount: number | null) =>
      listOf(() => page([], { totalCount }))
        .reader.partsOf(days)
        .then(({ parts }) => parts);
    expect(await partsOf(100_000)).toEqual([days]);
    expect(await partsOf(100_001)).toHaveLength(2);
    expect(await partsOf(null)).toHaveLength(3);
    const { asked, reader } = listOf(() => page([], { totalCount: 1 }));
    expect((await reader.partsOf(days, true)).parts).toHaveLength(3);
    expect(asked).toEqual([]);
  });

  it.each<[string, number | null, number[]]>([
    ["as full as the provider says it can be: the next one is looked at", 2, [1, 2]],
    ["not as full as the provider says", 3, [1]],
    ["not as full as was asked for, and the provider says nothing", null, [1]],
    ["... or nothing that could be", 0, [1]],
    ["... or more than was asked for", 1_000, [1]],
  ])("the last page is %s", async (_, pageSize, expected) => {
    const { pages, reader } = listOf((request) =>
      request.page === 1 ? page(items(1, 2), { totalCount: 2, hasNextPage: false, pageSize }) : page([]),
    );
    expect(await reader.readPaid(WEEK)).toEqual([]);
    expect(pages()).toEqual(expected);
  });

  it("a page past the end may be not found, the first may not", async () => {
    const { pages, reader } = listOf((request) => {
      return request.page > 2 ? NOT_FOUND : page(items(request.page * 10, 2), { totalCount: 4, pageSize: 2 });
    });
    expect(await reader.readPaid(WEEK)).toEqual([]);
    expect(pages()).toEqual([1, 2, 3]);
    const refused = { next: "refuse", code: "failed", refusal: NOT_FOUND };
    await expect(listOf(() => NOT_FOUND).reader.readPaid(WEEK)).rejects.toMatchObject(refused);
  });

  it.each([FAULT, RATE_LIMITED])("a page that is refused is no end (G10): %j", async (refusal) => {
    const { reader } = listOf((request) =>
      request.page > 1 ? refusal : page(items(1, 2), { totalCount: 3 }),
    );
    await expect(reader.readPaid(WEEK)).rejects.toMatchObject({ refusal });
  });

  it("a page that is announced and not found leaves its days in doubt (G10)", async () => {
    const first = page(items(1, 2), { hasNextPage: true });
    const { reader } = listOf((request) => (request.page > 1 ? NOT_FOUND : first));
    expect(await reader.readPaid(SHORT)).toMatchObject([SHORT]);
  });
});

describe("how many there are", () => {
  const all = { period: WEEK, status: null };

  it("is what the list says on a page of one", async () => {
    const { asked, reader } = listOf(() => page(items(1, 1), { totalCount: 7 }));
    expect(await reader.count(all)).toBe(7);
    expect(asked).toMatchObject([{ page: 1, pageSize: 1 }]);
  });

  it.each([page([], { totalCount: null }), NOT_FOUND, OUTSIDE])(
    "is nothing that could be compared: %j",
    async (answer) => {
      expect(await listOf(() => answer).reader.count(all)).toBeNull();
    },
  );

  it.each<[PageAnswer, string, string]>([
    [FAULT, "retry", "provider_away"],
    [RATE_LIMITED, "retry", "provider_away"],
    [{ kind: "interrupted" }, "retry", "provider_away"],
    [{ kind: "key_refused", error: "401" }, "pause", "failed"],
  ])("is not to be told after %j, which says what to do", async (refusal, next, code) => {
    const count = listOf(() => refusal).reader.count(all);
    await expect(count).rejects.toMatchObject({ refusal, next, code });
    await expect(count).rejects.toBeInstanceOf(ListUnreadable);
  });

  it("is not to be told while the reading itself fails", async () => {
    const lost = new Error("the lease is lost");
    await expect(listOf(() => ONE, { call: () => Promise.reject(lost) }).reader.count(all)).rejects.toBe(
      lost,
    );
  });
});

describe("a list that contradicts itself", () => {
  const contrary = page([item()], { totalCount: 2, hasNextPage: false });

  it("is read in two halves, newer first, and those again; what is left is in doubt (G10)", async () => {
    const { asked, reader } = listOf((request) =>
      (request.endDate ?? "") > "2026-10-06" || request.page > 1 ? contrary : ONE,
    );
    expect(await reader.readPaid(WEEK)).toMatchObject([
      { first: "2026-10-06", last: "2026-10-08" },
      { first: "2026-10-05", last: "2026-10-07" },
    ]);
    const dayOf = (day: string | undefined) => day?.replace("2026-10-", "");
    const read = asked.map((one) => `${dayOf(one.startDate)}-${dayOf(one.endDate)} ${one.pageSize}`);
    expect([...new Set(read)]).toEqual([
      ...["01-08 100", "04-08 100", "06-08 100", "06-08 40", "06-08 250", "04-07 100"],
      ...["05-07 100", "05-07 40", "05-07 250", "04-06 100", "01-05 100"],
    ]);
  });

  it("is believed as soon as one size of its pages shows it whole", async () => {
    const { asked, reader } = listOf((request) => (request.pageSize === 40 ? ONE : contrary));
    expect(await reader.readPaid(SHORT)).toEqual([]);
    expect(asked.at(-1)).toMatchObject({ page: 1, pageSize: 40 });
  });

  it("outside the contract is in doubt, and the other days are read all the same", async () => {
    const { reader } = listOf((request) => (request.invoiceStatus === undefined ? OUTSIDE : ONE));
    expect(await reader.readWhole(SHORT)).toMatchObject([SHORT]);
  });
});

describe("an item without a usable id", () => {
  const bad = (changes: Partial<ListedInvoice>) => item({ id: "inv-7", datePaid: "2026-10-02", ...changes });

  it("is counted if it may be paid, and makes no list incomplete", async () => {
    const unpaid = bad({ amount: "12.00", status: "Unpaid", datePaid: null });
    const list = [bad({}), bad({ amount: "11.00" }), unpaid, item()];
    const { reader, shown } = listOf(({ page: number }) =>
      page(list.slice(2 * number - 2, 2 * number), { totalCount: 4, hasNextPage: number < 2 }),
    );
    expect(await reader.readNew(WEEK)).toEqual([]);
    expect(reader.unusable).toBe(2);
    expect(shown.map(({ invoiceId }) => invoiceId)).toEqual([id(1)]);
    const endless = listOf(() => page([unpaid], { hasNextPage: true }), {}, []).reader;
    expect(await endless.readNew(SHORT)).toMatchObject([SHORT]);
  });

  it("and without a status counts as what was asked for", async () => {
    const { reader } = listOf(() => page([bad({ status: null })]), {}, ["Settled"]);
    await reader.readPaid(WEEK);
    expect(reader.unusable).toBeGreaterThan(0);
  });
});
