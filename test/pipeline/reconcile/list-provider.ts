import type { ServerResponse } from "node:http";
import { startServer } from "../../support/own-server.ts";
import { onTestFinished } from "../../support/own-test.ts";

/** How the list behaves; what the interface leaves open about it is lab/scenarios'. */
export interface Reading {
  /** So many of the newest are counted and not shown. */
  hides: number;
  /** What its dates mean. */
  dates: "createdAt" | "paidAt";
  /** It says how many there are. */
  counts: boolean;
}

export const PLAIN: Reading = { hides: 0, dates: "createdAt", counts: true };

export interface ListedInvoice {
  id: string;
  createdAt: Date;
  paidAt: Date | null;
  status?: string;
  /** What the list calls it instead, and filters by. */
  label?: unknown;
  /** Live when left out. */
  type?: string | null;
  amount?: number | string | null;
  /** What the list shows as datePaid instead of paidAt. */
  datePaid?: unknown;
}

export const COLLECTION = "c0113c70-0000-4000-8000-00000000000a";

const nothing = () => ({
  url: "",
  /** Another collection, which is empty. */
  second: "c0113c70-0000-4000-8000-00000000000b",
  reading: PLAIN,
  invoices: [] as ListedInvoice[],
  /** The queries of the list, in order. */
  queries: [] as URLSearchParams[],
  /** The ids that Get Invoice was asked about, in order. */
  asked: [] as string[],
  /** What Get Invoice knows besides the list. */
  unlisted: [] as ListedInvoice[],
  /** Answers the next list requests in place of the list; the last one stays. Empty: the list. */
  faults: [] as ((response: ServerResponse) => void)[],
  /** Awaited before each page. */
  beforePage: (): Promise<void> | void => undefined,
});
export type ListProvider = ReturnType<typeof nothing>;

/** A provider that has one collection and nothing but its list, over real HTTP; gone with the test. */
export async function startListProvider(): Promise<ListProvider> {
  const provider = nothing();
  const server = await startServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://provider");
    response.setHeader("content-type", "application/json");
    const answer = (data: object) => response.end(JSON.stringify({ status: "success", message: "ok", data }));
    if (pathname.startsWith(`/api/v1/collections/${provider.second}`)) {
      if (pathname.endsWith("/invoices")) return answer(page({ ...provider, invoices: [] }, searchParams));
      return answer({ id: provider.second, collectionName: "Term 2" });
    }
    if (pathname === `/api/v1/collections/${COLLECTION}`)
      return answer({ id: COLLECTION, collectionName: "Term 1" });
    const [, invoiceId] = /^\/api\/v1\/invoices\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
    if (invoiceId !== undefined) {
      provider.asked.push(invoiceId);
      return answerInvoice(provider, invoiceId, response);
    }
    if (pathname !== `/api/v1/collections/${COLLECTION}/invoices`)
      return response.writeHead(404).end('{"status":404,"message":"Nothing here"}');
    provider.queries.push(searchParams);
    await provider.beforePage();
    const fault = provider.faults.length > 1 ? provider.faults.shift() : provider.faults[0];
    if (fault !== undefined) return fault(response);
    answer(page(provider, searchParams));
  });
  provider.url = server.url;
  onTestFinished(server.close);
  return provider;
}

function answerInvoice({ invoices, unlisted }: ListProvider, id: string, response: ServerResponse): void {
  const invoice = [...invoices, ...unlisted].find((one) => one.id === id);
  if (invoice === undefined)
    return void response
      .writeHead(404)
      .end('{"status":404,"message":"Invoice with the given Id does not exist"}');
  const data = {
    ...{ id, title: "School fees", collectionName: "Term 1", amount: invoice.amount ?? 1500.5 },
    ...{ status: statusOf(invoice), type: typeOf(invoice) },
    dateCreated: invoice.createdAt.toISOString(),
    dateModified: (invoice.paidAt ?? invoice.createdAt).toISOString(),
    paymentDate: invoice.paidAt?.toISOString() ?? null,
  };
  response.end(JSON.stringify({ status: 200, message: "ok", data }));
}

const statusOf = ({ status, paidAt }: ListedInvoice) => status ?? (paidAt === null ? "Unpaid" : "Paid");

const plain = (label: unknown) => String(label).trim().toLowerCase();

const labelOf = (invoice: ListedInvoice) => (invoice.label === undefined ? statusOf(invoice) : invoice.label);

const typeOf = ({ type = "Live" }: ListedInvoice) => type;

function page({ invoices, reading }: ListProvider, query: URLSearchParams) {
  const number = Number(query.get("page") ?? 1);
  const size = Math.min(Number(query.get("pageSize") ?? 10), 50);
  const matching = invoices.filter((invoice) => matches(invoice, reading, query)).sort(newestFirst);
  return {
    items: matching
      .slice(reading.hides)
      .slice((number - 1) * size, number * size)
      .map((invoice) => ({
        id: invoice.id,
        title: "School fees",
        amount: invoice.amount === undefined ? 1500.5 : invoice.amount,
        status: labelOf(invoice),
        payerName: "Ada Obi",
        payerEmail: "ada@example.com",
        dateCreated: invoice.createdAt.toISOString(),
        datePaid: invoice.datePaid === undefined ? (invoice.paidAt?.toISOString() ?? null) : invoice.datePaid,
      })),
    page: number,
    pageSize: size,
    totalCount: reading.counts ? matching.length : null,
    hasNextPage: number * size < matching.length,
    hasPreviousPage: number > 1,
  };
}

/** Its days are of UTC, both ends included. */
function matches(invoice: ListedInvoice, { dates }: Reading, query: URLSearchParams): boolean {
  const day = invoice[dates]?.toISOString().slice(0, 10) ?? "";
  if (day < (query.get("startDate") ?? "") || day > (query.get("endDate") ?? "9999")) return false;
  const [type, status] = [query.get("invoiceType"), query.get("invoiceStatus")];
  if (type !== null && type !== typeOf(invoice)) return false;
  return status === null || plain(status) === plain(labelOf(invoice));
}

const newestFirst = (one: ListedInvoice, other: ListedInvoice) =>
  other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? -1 : 1);

/** A fault in place of the list. */
export const refusing =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('{"status":500,"message":"Broken"}');
