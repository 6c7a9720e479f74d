import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { type Surroundings, startRelay, surroundings } from "./relay.ts";
import { runInProcess } from "./run-command.ts";
import { TOKENS, twoSources } from "./two-sources.ts";

/** Collections of source a, in London's days, and the one of source b, in those of Lagos. */
export const LISTS = {
  "Term 1": "c0113c70-0000-4000-8000-0000000000a1",
  "Term 2": "c0113c70-0000-4000-8000-0000000000a2",
  "Term 3": "c0113c70-0000-4000-8000-0000000000a3",
  Lagos: "c0113c70-0000-4000-8000-0000000000b1",
} as const;

/** What the provider knows of one payment. The day is written by hand, so that nothing of ours computes it. */
export interface WorldPayment {
  id: string;
  source: "a" | "b";
  collection: string;
  amount: number;
  paidAt: string;
  /** Of the zone of the source's books. */
  day: string;
  type: "Live" | "Test";
}

const payment = (
  source: "a" | "b",
  collection: string,
  amount: number,
  paidAt: string,
  day: string,
  type: "Live" | "Test" = "Live",
): WorldPayment => ({ id: randomUUID(), source, collection, amount, paidAt, day, type });

/** Around the turns of years, months and clocks. */
const makePayments = (): WorldPayment[] => [
  payment("a", "Term 1", 100.1, "2025-12-31T23:30:00Z", "2025-12-31"),
  payment("a", "Term 1", 200.2, "2026-01-01T00:30:00Z", "2026-01-01"),
  payment("a", "Term 2", 3.33, "2026-03-29T00:59:00Z", "2026-03-29"),
  payment("a", "Term 2", 4.44, "2026-03-29T23:30:00Z", "2026-03-30"),
  payment("a", "Term 1", 1000.01, "2026-09-30T23:30:00Z", "2026-10-01"),
  payment("a", "Term 2", 2000.02, "2026-10-12T12:00:00Z", "2026-10-12"),
  payment("a", "Term 3", 40.4, "2026-10-24T23:30:00Z", "2026-10-25"),
  payment("a", "Term 3", 50.55, "2026-10-25T23:30:00Z", "2026-10-25"),
  payment("a", "Term 1", 7.07, "2026-10-31T23:30:00Z", "2026-10-31"),
  payment("a", "Term 1", 9.99, "2026-10-10T10:00:00Z", "2026-10-10", "Test"),
  payment("a", "Somebody else's", 5000, "2026-10-15T10:00:00Z", "2026-10-15"),
  payment("a", "Somebody else's", 6000, "2026-10-16T10:00:00Z", "2026-10-16"),
  payment("b", "Lagos", 800.8, "2026-09-30T23:10:00Z", "2026-10-01"),
  payment("b", "Lagos", 900.9, "2026-10-31T23:10:00Z", "2026-11-01"),
];

export interface BooksWorld {
  relay: Awaited<ReturnType<typeof startRelay>>;
  around: Surroundings;
  environment: Record<string, string | undefined>;
  payments: WorldPayment[];
  /** Of the payments of these, by the provider's own data: exact, in hundredths. */
  sumOf: (which: (one: WorldPayment) => boolean) => { count: number; amount: string };
  run: (...words: string[]) => ReturnType<typeof runInProcess>;
}

/** Two merchants and all their payments, called back, confirmed and published as in life. */
export async function booksWorld(): Promise<BooksWorld> {
  const around = await surroundings();
  const payments = makePayments();
  answerAll(around, payments);
  const { Lagos, ...ofA } = LISTS;
  const environment = twoSources(around, {
    a: { collectionIds: Object.values(ofA), booksTimeZone: "Europe/London", currency: "GBP" },
    b: { collectionIds: [Lagos], booksTimeZone: "Africa/Lagos", currency: "NGN" },
  });
  const relay = await startRelay({ ...environment, RECONCILE_INTERVAL: "1h" });
  await around.query("update source set first_served_at = '2025-01-01'");
  for (const { id, source } of payments)
    await relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[source]}` });
  const settled = "select from confirmation where state = 'done' and verdict in ('paid', 'quarantined')";
  await vi.waitFor(async () => {
    expect(await around.query(settled)).toHaveLength(payments.length);
    expect(await around.query("select from publication")).toHaveLength(
      payments.filter(({ type, collection }) => type === "Live" && collection in LISTS).length,
    );
  });
  const run = (...words: string[]) => runInProcess(words, environment);
  const sumOf: BooksWorld["sumOf"] = (which) => {
    const chosen = payments.filter(which);
    const hundredths = chosen.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
    return { count: chosen.length, amount: (hundredths / 100).toFixed(2) };
  };
  return { around, relay, environment, payments, sumOf, run };
}

function answerAll({ provider }: Surroundings, payments: readonly WorldPayment[]): void {
  provider.otherwise((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://provider");
    const [, collectionId = "", isList] = /\/collections\/([0-9a-f-]{36})(\/invoices)?$/.exec(pathname) ?? [];
    const [, invoiceId] = /\/invoices\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
    const collectionName = Object.entries(LISTS).find(([, id]) => id === collectionId)?.[0];
    const found = payments.find(({ id }) => id === invoiceId);
    const data = found
      ? invoiceOf(found)
      : isList
        ? pageOf(
            payments.filter(({ collection }) => collection === collectionName),
            searchParams,
          )
        : { id: collectionId, collectionName };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ status: "success", message: "ok", data }));
  });
}

/** How the provider settles each collection. */
export const FREQUENCIES: Readonly<Record<string, string>> = {
  "Term 1": "Instant",
  "Term 2": "Daily",
  "Term 3": "Daily",
};

const createdAt = ({ paidAt }: WorldPayment) => new Date(Date.parse(paidAt) - 3_600_000).toISOString();

const invoiceOf = (one: WorldPayment) => ({
  id: one.id,
  title: "School fees",
  collectionName: one.collection,
  payerName: "Ada Obi",
  amount: one.amount,
  totalAmount: one.amount,
  serviceCharge: 0,
  vat: 0,
  settleableAmount: one.amount,
  settlementFrequency: FREQUENCIES[one.collection] ?? "Instant",
  serviceFeePayer: "Payer",
  status: "Paid",
  type: one.type,
  dateCreated: createdAt(one),
  dateModified: one.paidAt,
  paymentDate: one.paidAt,
  paymentMethod: "Card",
});

function pageOf(all: readonly WorldPayment[], query: URLSearchParams) {
  const [first, last] = [query.get("startDate") ?? "", query.get("endDate") ?? "9999"];
  const [type, status] = [query.get("invoiceType"), query.get("invoiceStatus")];
  const items = all
    .filter((one) => createdAt(one).slice(0, 10) >= first && createdAt(one).slice(0, 10) <= last)
    .filter((one) => (type === null || one.type === type) && (status === null || status === "Paid"))
    .map((one) => ({ ...invoiceOf(one), datePaid: one.paidAt }));
  const isFirst = Number(query.get("page") ?? 1) === 1;
  return {
    items: isFirst ? items : [],
    page: 1,
    pageSize: 50,
    totalCount: items.length,
    hasNextPage: false,
    hasPreviousPage: false,
  };
}
