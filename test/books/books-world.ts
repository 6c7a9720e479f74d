import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { TOKENS, twoSources } from "../support/two-sources.ts";

/** Collections of source a, in London's days, and the one of source b, in those of Lagos. */
export const LISTS = {
  "Term 1": "c0113c70-0000-4000-8000-0000000000a1",
  "Term 2": "c0113c70-0000-4000-8000-0000000000a2",
  "Term 3": "c0113c70-0000-4000-8000-0000000000a3",
  Lagos: "c0113c70-0000-4000-8000-0000000000b1",
} as const;

/** What the provider knows of one payment. The day is written by hand, so that nothing of ours computes it. */
interface WorldPayment {
  id: string;
  source: "a" | "b";
  collection: string;
  /** In hundredths, like all amounts here: exact. */
  amount: bigint;
  /** null: the provider does not say. */
  paidAt: string | null;
  createdAt: string;
  /** Of the zone of the source's books. */
  day: string;
  type: "Live" | "Test";
}

/** What certificates and reports count. */
const isOurs = ({ type, collection }: WorldPayment) => type === "Live" && collection in LISTS;

const COLUMNS = ["amount", "service_charge", "vat", "total", "settleable"] as const;
type AmountName = (typeof COLUMNS)[number];

/** All five differ, so that none can stand for another. */
function amountsOf({ amount }: Pick<WorldPayment, "amount">): Record<AmountName, bigint> {
  const [service_charge, vat] = [amount / 50n + 1n, amount / 700n + 3n];
  return { amount, service_charge, vat, total: amount + service_charge + vat, settleable: amount - 5n };
}

const decimal = (hundredths: bigint): string => {
  const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, "0");
  return `${hundredths < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const AN_HOUR_MS = 3_600_000;

const payment = (
  source: "a" | "b",
  collection: string,
  amount: bigint,
  paidAt: string,
  day: string,
  type: "Live" | "Test" = "Live",
): WorldPayment => {
  const createdAt = new Date(Date.parse(paidAt) - AN_HOUR_MS).toISOString();
  return { id: randomUUID(), source, collection, amount, paidAt, createdAt, day, type };
};

/** Around the turns of years, months and clocks. */
const makePayments = (): WorldPayment[] => [
  payment("a", "Term 1", 10010n, "2025-12-31T23:30:00Z", "2025-12-31"),
  payment("a", "Term 1", 20020n, "2026-01-01T00:30:00Z", "2026-01-01"),
  payment("a", "Term 2", 333n, "2026-03-29T00:59:00Z", "2026-03-29"),
  payment("a", "Term 2", 444n, "2026-03-29T23:30:00Z", "2026-03-30"),
  payment("a", "Term 1", 100001n, "2026-09-30T23:30:00Z", "2026-10-01"),
  payment("a", "Term 2", 200002n, "2026-10-12T12:00:00Z", "2026-10-12"),
  payment("a", "Term 3", 4040n, "2026-10-24T23:30:00Z", "2026-10-25"),
  payment("a", "Term 3", 5055n, "2026-10-25T23:30:00Z", "2026-10-25"),
  payment("a", "Term 1", 707n, "2026-10-31T23:30:00Z", "2026-10-31"),
  payment("a", "Term 1", 999n, "2026-10-10T10:00:00Z", "2026-10-10", "Test"),
  payment("a", "Somebody else's", 500000n, "2026-10-15T10:00:00Z", "2026-10-15"),
  payment("a", "Somebody else's", 600000n, "2026-10-16T10:00:00Z", "2026-10-16"),
  // Counted when it was created: in London that was in October still.
  { ...payment("a", "Term 2", 3131n, "2026-11-01T00:30:00Z", "2026-10-31"), paidAt: null },
  payment("b", "Lagos", 80080n, "2026-09-30T23:10:00Z", "2026-10-01"),
  // More digits than a double holds.
  payment("b", "Lagos", 9007199254740993n, "2026-10-31T23:10:00Z", "2026-11-01"),
];

interface BooksWorld {
  relay: Awaited<ReturnType<typeof startRelay>>;
  around: Surroundings;
  environment: Record<string, string | undefined>;
  payments: WorldPayment[];
  run: (...words: string[]) => ReturnType<typeof runCli>;
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
  for (const { id, source } of payments)
    await relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[source]}` });
  const settled = "select from confirmation where state = 'done' and verdict in ('paid', 'quarantined')";
  await vi.waitFor(async () => {
    expect(await around.query(settled)).toHaveLength(payments.length);
    expect(await around.query("select from publication")).toHaveLength(payments.filter(isOurs).length);
  });
  // Not before: a daily certificate made meanwhile would lack the payments that come after it.
  await around.query("update source set first_served_at = '2025-01-01'");
  const run = (...words: string[]) => runCli(words, environment);
  return { around, relay, environment, payments, run };
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
      .end(exactJson({ status: "success", message: "ok", data }));
  });
}

const digits = (hundredths: bigint) => `#${decimal(hundredths)}`;

/** What `digits` marked is a number, with every digit. */
const exactJson = (value: unknown) => JSON.stringify(value).replaceAll(/"#(-?[0-9.]+)"/g, "$1");

function invoiceOf(one: WorldPayment) {
  const { amount, service_charge, vat, total, settleable } = amountsOf(one);
  return {
    id: one.id,
    title: "School fees",
    collectionName: one.collection,
    payerName: "Ada Obi",
    amount: digits(amount),
    totalAmount: digits(total),
    serviceCharge: digits(service_charge),
    vat: digits(vat),
    settleableAmount: digits(settleable),
    serviceFeePayer: "Payer",
    status: "Paid",
    type: one.type,
    dateCreated: one.createdAt,
    dateModified: one.paidAt ?? one.createdAt,
    paymentDate: one.paidAt,
    paymentMethod: "Card",
  };
}

function pageOf(all: readonly WorldPayment[], query: URLSearchParams) {
  const [first, last] = [query.get("startDate") ?? "", query.get("endDate") ?? "9999"];
  const [type, status] = [query.get("invoiceType"), query.get("invoiceStatus")];
  const items = all
    .filter((one) => one.createdAt.slice(0, 10) >= first && one.createdAt.slice(0, 10) <= last)
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
