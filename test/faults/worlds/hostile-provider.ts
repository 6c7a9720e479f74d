import type { IncomingMessage, ServerResponse } from "node:http";
import { type OwnServer, startServer } from "../../support/own-server.ts";
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
  /** The list knows it no longer. */
  left: boolean;
  /** A page has shown it since the last certificate was begun. */
  shown: boolean;
}

/** One merchant's account: one collection. */
export interface Account {
  collectionId: string;
  list: ListPlan;
  zoneHours: number;
  invoices: Map<string, Held>;
  /** So many more requests for the list are refused. */
  tooMany: number;
  /** Pages of the list that were answered. */
  pages: number;
}

export interface HostileProvider extends OwnServer {
  /** By API key. */
  accounts: Map<string, Account>;
}

/** The accounts of any number of worlds, over real HTTP. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const accounts = new Map<string, Account>();
  const server = await startServer((request, response) => {
    const account = accounts.get(String(request.headers["x-api-key"]));
    if (account === undefined) return answer(response, 401, { status: 401, message: "Unknown key" });
    serveAccount(account, request, response);
  });
  return { ...server, accounts };
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
    const page = pageOf(account, searchParams);
    if (page === null) return answer(response, 404, { status: 404, message: "There is no such page" });
    return answer(response, 200, success(page));
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
  comeAndGo(account);
  const page = Number(query.get("page") ?? 1);
  const pageSize = Math.min(Number(query.get("pageSize") ?? 10), list.cap);
  const found = [...account.invoices.values()].filter(
    (one) => !one.gone && !one.left && matches(account, one, query),
  );
  const sign = list.order === "oldest" ? 1 : -1;
  found.sort((a, b) =>
    list.order === "id" ? (a.id < b.id ? -1 : 1) : sign * (a.createdAt.getTime() - b.createdAt.getTime()),
  );
  if (list.pages === "shuffled") found.sort(() => Math.random() - 0.5);
  const last = Math.max(1, Math.ceil(found.length / pageSize));
  const isPast = page > last;
  if (isPast && list.pastTheEnd === "not found") return null;
  const shownPage =
    list.pages === "first page again" ? 1 : isPast && list.pastTheEnd === "last page" ? last : page;
  let shown = found.slice((shownPage - 1) * pageSize, shownPage * pageSize);
  if (list.pages === "last item missing") shown = shown.slice(0, -1);
  if (list.pages === "empty after the first" && page > 1) shown = [];
  for (const one of shown) one.shown = true;
  const count = {
    right: found.length,
    missing: undefined,
    "zero past the end": isPast ? 0 : found.length,
    "one too many": found.length + 1,
    "one too few": Math.max(0, found.length - 1),
    "of the page": shown.length,
  }[list.count];
  const next = { right: page < last, missing: undefined, never: false, always: true }[list.next];
  return {
    items: shown.map(({ id, amount, label, createdAt, listDate }) => ({
      ...{
        id,
        title: "School fees",
        amount: list.hasAmounts ? number(amount) : null,
        status: label,
        payerName: null,
        payerEmail: null,
      },
      ...{ dateCreated: createdAt.toISOString(), datePaid: listDate },
    })),
    ...{ page, pageSize, hasNextPage: next, hasPreviousPage: page > 1, totalCount: count },
  };
}

/** Paid this moment: of no period that is over. */
function joining(n: number): Held {
  const now = new Date();
  return {
    ...{
      id: `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`,
      type: "Live",
      status: "Paid",
      amount: "1.00",
    },
    ...{ label: "Paid", createdAt: now, paidAt: now, modifiedAt: now, deep: false },
    ...{ listDate: now.toISOString(), answerDate: now.toISOString(), gone: false, left: false, shown: false },
    charges: { serviceCharge: "0.00", vat: "0.00", settleableAmount: "1.00", totalAmount: "1.00" },
  };
}

const MOST_JOINING = 20;

function comeAndGo(account: Account): void {
  const { invoices, list } = account;
  account.pages += 1;
  const isTime = (every: number) => every > 0 && account.pages % every === 0;
  const staying = [...invoices.values()].filter(({ left }) => !left);
  const leaving = staying[account.pages % Math.max(1, staying.length)];
  if (isTime(list.leaves) && leaving !== undefined) leaving.left = true;
  const joined = joining(account.pages);
  if (isTime(list.joins) && account.pages <= MOST_JOINING * list.joins) invoices.set(joined.id, joined);
}

function matches({ list, zoneHours }: Account, invoice: Held, query: URLSearchParams): boolean {
  const [first, last] = [query.get("startDate"), query.get("endDate")];
  if (list.dateFilter !== "ignored" && first !== null && last !== null) {
    if (list.dateFilter === "shows nothing") return false;
    const moment = list.dateFilter === "creation" ? invoice.createdAt : invoice.paidAt;
    if (moment === null) return false;
    const day = new Date(moment.getTime() + zoneHours * 3_600_000).toISOString().slice(0, 10);
    const [withFirst, withLast] = [/both|first/.test(list.ends), /both|last/.test(list.ends)];
    if (day < first || day > last || (day === first && !withFirst) || (day === last && !withLast))
      return false;
  }
  const type = query.get("invoiceType");
  if (
    type === null
      ? list.hidesTest && invoice.type === "Test"
      : list.typeFilter === "kept" && type !== invoice.type
  )
    return false;
  const status = query.get("invoiceStatus");
  if (status === null || list.statusFilter === "ignored") return true;
  if (list.statusFilter === "shows nothing") return false;
  if (list.statusFilter === "by truth") return status === invoice.status;
  const label = String(invoice.label ?? "");
  return list.statusFilter === "by label"
    ? label === status
    : label.trim().toLowerCase() === status.trim().toLowerCase();
}
