import { hash } from "node:crypto";
import { startServer } from "../../test/support/own-server.ts";
import { type DateForm, written } from "./dates.ts";
import type { InvoicePlan, ListPlan } from "./plan.ts";

/** An invoice as the provider has it now. */
export interface Held {
  id: string;
  type: InvoicePlan["type"];
  status: string;
  /** What the list calls it. */
  label: string | number | null;
  createdAt: Date;
  paidAt: Date | null;
  modifiedAt: Date;
  /** How the list and Get Invoice write down when it was paid. */
  listDate: DateForm;
  answerDate: DateForm;
  amount: number;
  charges: { serviceCharge: number; vat: number; settleableAmount: number; totalAmount: number };
  deep: boolean;
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
  /** Of the provider's clocks. */
  zone: string;
  invoices: Map<string, Held>;
  /** So many more requests for the list are refused. */
  tooMany: number;
  /** Pages of the list that were answered. */
  pages: number;
}

/** The accounts of any number of scenarios, over real HTTP. */
export async function startHostileProvider() {
  /** By API key. */
  const accounts = new Map<string, Account>();
  const server = await startServer((request, response) => {
    const account = accounts.get(String(request.headers["x-api-key"]));
    const url = new URL(request.url ?? "", "http://provider");
    const { status, body } = account === undefined ? refusal(401, "Unknown key") : answer(account, url);
    const headers = { "content-type": "application/json", ...(status === 429 && { "retry-after": "1" }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  return { ...server, accounts };
}

const refusal = (status: number, message: string, more = {}) => ({
  status,
  body: { status, message, ...more },
});
const success = (data: object) => ({ status: 200, body: { status: "success", message: "ok", data } });

function answer(account: Account, { pathname, searchParams }: URL): { status: number; body: object } {
  const collection = `/api/v1/collections/${account.collectionId}`;
  if (pathname === collection) return success({ id: account.collectionId, collectionName: "Term 1" });
  if (pathname === `${collection}/invoices`) {
    if (account.tooMany > 0) {
      account.tooMany -= 1;
      return refusal(429, "Slow down");
    }
    const page = pageOf(account, searchParams);
    return page === null ? refusal(404, "There is no such page") : success(page);
  }
  const invoice = account.invoices.get(pathname.split("/").at(-1) ?? "");
  if (invoice !== undefined && !invoice.gone) return success(invoiceOf(invoice, account.zone));
  return refusal(404, "Invoice with the given Id does not exist", { type: "NotFound", errors: [] });
}

const DEEP = Array.from({ length: 3_000 }).reduce<unknown>((inner) => ({ a: inner }), 1);

const invoiceOf = ({ id, type, status, amount, charges, ...held }: Held, zone: string) => ({
  ...{ id, type, status, title: "School \u0001 fees", collectionName: "Term 1", amount, ...charges },
  ...{ serviceFeePayer: "Merchant", paymentMethod: "Card" },
  paymentDate: written(held.answerDate, held.paidAt, { createdAt: held.createdAt, zone }),
  billerMetaData: held.deep ? DEEP : { class: "4b" },
  dateCreated: held.createdAt.toISOString(),
  dateModified: held.modifiedAt.toISOString(),
});

const ORDERS: Record<ListPlan["order"], (one: Held, other: Held) => number> = {
  newest: (one, other) => other.createdAt.getTime() - one.createdAt.getTime(),
  oldest: (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
  id: (one, other) => (one.id < other.id ? -1 : 1),
};

function pageOf(account: Account, query: URLSearchParams) {
  const { list, zone } = account;
  comeAndGo(account);
  const page = Number(query.get("page") ?? 1);
  const pageSize = Math.min(Number(query.get("pageSize") ?? 10), list.cap);
  const found = [...account.invoices.values()]
    .filter((one) => !one.gone && !one.left && matches(list, one, query))
    .sort(ORDERS[list.order]);
  const shuffled = ({ id }: Held) => hash("sha1", `${account.pages} ${id}`);
  if (list.pages === "shuffled") found.sort((one, other) => (shuffled(one) < shuffled(other) ? -1 : 1));
  const last = Math.max(1, Math.ceil(found.length / pageSize));
  const isPast = page > last;
  if (isPast && list.pastTheEnd === "not found") return null;
  const asked = isPast && list.pastTheEnd === "last page" ? last : page;
  const at = list.pages === "first page again" ? 1 : asked;
  let shown = found.slice((at - 1) * pageSize, at * pageSize);
  if (list.pages === "last item missing") shown = shown.slice(0, -1);
  if (list.pages === "empty after the first" && page > 1) shown = [];
  for (const one of shown) one.shown = true;
  const totalCount = {
    right: found.length,
    missing: undefined,
    "zero past the end": isPast ? 0 : found.length,
    "one too many": found.length + 1,
    "one too few": Math.max(0, found.length - 1),
    "of the page": shown.length,
  }[list.count];
  const hasNextPage = { right: page < last, missing: undefined, never: false, always: true }[list.next];
  const items = shown.map(({ id, amount, label, createdAt, listDate, paidAt }) => ({
    ...{ id, title: "School fees", amount: list.hasAmounts ? amount : null, status: label },
    ...{ payerName: null, payerEmail: null },
    dateCreated: createdAt.toISOString(),
    datePaid: written(listDate, paidAt, { createdAt, zone }),
  }));
  return { items, page, pageSize, hasNextPage, hasPreviousPage: page > 1, totalCount };
}

const JOINING_LIMIT = 20;

function comeAndGo(account: Account): void {
  const { invoices, list } = account;
  account.pages += 1;
  const isTime = (every: number) => every > 0 && account.pages % every === 0;
  const staying = [...invoices.values()].filter(({ left }) => !left);
  const leaving = staying[account.pages % Math.max(1, staying.length)];
  if (isTime(list.leaves) && leaving !== undefined) leaving.left = true;
  if (!isTime(list.joins) || account.pages > JOINING_LIMIT * list.joins) return;
  const id = `aaaaaaaa-0000-4000-8000-${String(account.pages).padStart(12, "0")}`;
  // Paid this moment: of no period that is over.
  const now = new Date();
  invoices.set(id, {
    ...{ id, type: "Live", status: "Paid", label: "Paid", createdAt: now, paidAt: now, modifiedAt: now },
    ...{ listDate: "utc", answerDate: "utc", amount: 1, deep: false, gone: false, left: false, shown: false },
    charges: { serviceCharge: 0, vat: 0, settleableAmount: 1, totalAmount: 1 },
  });
}

function matches(list: ListPlan, { type, status, label, createdAt, paidAt }: Held, query: URLSearchParams) {
  const asked = (name: string) => query.get(name);
  const [first, last] = [asked("startDate"), asked("endDate")];
  if (list.dateFilter !== "ignored" && first !== null && last !== null) {
    const moment = { creation: createdAt, payment: paidAt, "shows nothing": null }[list.dateFilter];
    if (moment === null) return false;
    const day = new Date(moment.getTime() + list.zoneHours * 3_600_000).toISOString().slice(0, 10);
    if (day < first || (day === first && !/both|first/.test(list.ends))) return false;
    if (day > last || (day === last && !/both|last/.test(list.ends))) return false;
  }
  const typeAsked = asked("invoiceType");
  if (
    typeAsked === null ? list.hidesTest && type === "Test" : list.typeFilter === "kept" && typeAsked !== type
  )
    return false;
  const statusAsked = asked("invoiceStatus");
  if (statusAsked === null) return true;
  const alike = (text: string) => text.trim().toLowerCase();
  return {
    "by label": String(label ?? "") === statusAsked,
    "by label, any case": alike(String(label ?? "")) === alike(statusAsked),
    "by truth": status === statusAsked,
    ignored: true,
    "shows nothing": false,
  }[list.statusFilter];
}
