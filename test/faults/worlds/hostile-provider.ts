import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ListPlan } from "./plan.ts";

/** An invoice as the provider has it now. */
export interface Held {
  id: string;
  type: "Live" | "Test";
  status: string;
  /** What the list calls it. */
  label: string | number | null;
  createdAt: Date;
  paidAt: Date | null;
  /** What the list and Get Invoice say of the payment's time. */
  listDate: string | number | null;
  answerDate: string | number | null;
  amount: string;
  charges: { serviceCharge: string; vat: string; settleableAmount: string; totalAmount: string };
  deep: boolean;
  modifiedAt: Date;
  /** Get Invoice and list know it no longer. */
  gone: boolean;
}

/** One merchant's account: one collection. */
export interface Account {
  collectionId: string;
  list: ListPlan;
  zoneHours: number;
  invoices: Map<string, Held>;
  /** So many more requests for the list are refused. */
  tooMany: number;
}

export interface HostileProvider {
  url: string;
  /** By API key. */
  accounts: Map<string, Account>;
  close(): Promise<void>;
}

/** The accounts of any number of worlds, over real HTTP. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const accounts = new Map<string, Account>();
  const server = createServer((request, response) => {
    const account = accounts.get(String(request.headers["x-api-key"]));
    if (account === undefined) return answer(response, 401, { status: 401, message: "Unknown key" });
    serveAccount(account, request, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const answer = (response: ServerResponse, status: number, body: object, headers = {}) =>
  void response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));

function serveAccount(account: Account, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://provider");
  const collection = `/api/v1/collections/${account.collectionId}`;
  if (pathname === collection)
    return answer(response, 200, success({ id: account.collectionId, collectionName: "Term 1" }));
  if (pathname === `${collection}/invoices`) {
    if (account.tooMany > 0) {
      account.tooMany -= 1;
      return answer(response, 429, { status: 429, message: "Slow down" }, { "retry-after": "1" });
    }
    return answer(response, 200, success(pageOf(account, searchParams)));
  }
  const invoice = account.invoices.get(pathname.split("/").at(-1) ?? "");
  if (invoice === undefined || invoice.gone)
    return answer(response, 404, {
      ...{ status: 404, type: "NotFound", errors: [] },
      message: "Invoice with the given Id does not exist",
    });
  const text = JSON.stringify(success(invoiceOf(invoice)));
  const metadata = invoice.deep ? `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}` : '{"class":"4b"}';
  response.writeHead(200, { "content-type": "application/json" }).end(text.replace('"METADATA"', metadata));
}

const success = (data: object) => ({ status: "success", message: "ok", data });

const number = (amount: string) => Number(amount);

function invoiceOf({ id, type, status, createdAt, modifiedAt, answerDate, amount, charges }: Held) {
  return {
    ...{ id, type, status, title: "School \u0001 fees", collectionName: "Term 1", amount: number(amount) },
    ...Object.fromEntries(Object.entries(charges).map(([name, text]) => [name, number(text)])),
    ...{
      serviceFeePayer: "Merchant",
      paymentDate: answerDate,
      paymentMethod: "Card",
      billerMetaData: "METADATA",
    },
    ...{ dateCreated: createdAt.toISOString(), dateModified: modifiedAt.toISOString() },
  };
}

function pageOf(account: Account, query: URLSearchParams) {
  const { list } = account;
  const page = Number(query.get("page") ?? 1);
  const pageSize = Math.min(Number(query.get("pageSize") ?? 10), list.cap);
  const found = [...account.invoices.values()].filter((one) => !one.gone && matches(account, one, query));
  const sign = list.order === "oldest" ? 1 : -1;
  found.sort((a, b) =>
    list.order === "id" ? (a.id < b.id ? -1 : 1) : sign * (a.createdAt.getTime() - b.createdAt.getTime()),
  );
  if (list.pages === "shuffled") found.sort(() => Math.random() - 0.5);
  const first = list.pages === "first page again" ? 0 : (page - 1) * pageSize;
  let shown = found.slice(first, first + pageSize);
  if (list.pages === "last item missing") shown = shown.slice(0, -1);
  return {
    items: shown.map(({ id, amount, label, createdAt, listDate }) => ({
      ...{
        id,
        title: "School fees",
        amount: number(amount),
        status: label,
        payerName: null,
        payerEmail: null,
      },
      ...{ dateCreated: createdAt.toISOString(), datePaid: listDate },
    })),
    ...{ page, pageSize, hasNextPage: page * pageSize < found.length, hasPreviousPage: page > 1 },
    ...(list.count === "missing" ? {} : { totalCount: found.length + (list.count === "right" ? 0 : 1) }),
  };
}

function matches({ list, zoneHours }: Account, invoice: Held, query: URLSearchParams): boolean {
  const [first, last] = [query.get("startDate"), query.get("endDate")];
  if (list.dateFilter !== "ignored" && first !== null && last !== null) {
    const moment = list.dateFilter === "creation" ? invoice.createdAt : invoice.paidAt;
    if (moment === null) return false;
    const day = new Date(moment.getTime() + zoneHours * 3_600_000).toISOString().slice(0, 10);
    if (day < first || day > last) return false;
  }
  const type = query.get("invoiceType");
  if (list.typeFilter === "kept" && type !== null && type !== invoice.type) return false;
  const status = query.get("invoiceStatus");
  if (status === null || list.statusFilter === "ignored") return true;
  if (list.statusFilter === "by truth") return status === invoice.status;
  const label = String(invoice.label ?? "");
  return list.statusFilter === "by label"
    ? label === status
    : label.trim().toLowerCase() === status.trim().toLowerCase();
}
