import { answerParent, nowMs } from "../harness/child.ts";
import { invoiceAnswer } from "../harness/payment.ts";
import { rawResponse, startRawServer } from "../harness/raw-http-server.ts";

// The provider: every invoice is paid, and its answer is prepared but for the id. Its one collection lists what
// the bench says.
const PLACE = "00000000-0000-4000-8000-000000000000";
const pieces = rawResponse("application/json", invoiceAnswer(PLACE)).split(PLACE);

let delayMs = 0;
let firstAsked = Promise.withResolvers<number>();
let listed: { id: string; paidAt: string }[] = [];

function answerTo(head: string): string {
  const at = head.indexOf("/invoices/");
  if (at !== -1) return pieces.join(head.slice(at + 10, head.indexOf(" HTTP/")));
  const { pathname, searchParams } = new URL(head.slice(4, head.indexOf(" HTTP/")), "http://provider");
  const data = pathname.endsWith("/invoices")
    ? page(searchParams)
    : { id: pathname.slice(-36), collectionName: "Term 2" };
  return rawResponse("application/json", JSON.stringify({ status: "success", message: "", data }));
}

function page(query: URLSearchParams) {
  const number = Number(query.get("page") ?? 1);
  const pageSize = Number(query.get("pageSize") ?? 100);
  const all = query.get("invoiceType") === "Test" ? [] : listed;
  const items = all.slice((number - 1) * pageSize, number * pageSize).map(({ id, paidAt }) => ({
    ...{ id, title: "School fees", amount: 1500.5, status: "Paid", payerName: "Ada Obi" },
    ...{ payerEmail: "ada.obi@example.com", dateCreated: paidAt, datePaid: paidAt },
  }));
  const hasNextPage = number * pageSize < all.length;
  return { items, page: number, pageSize, totalCount: all.length, hasNextPage, hasPreviousPage: number > 1 };
}

const calls = {
  start: () =>
    startRawServer((head, _body, answer) => {
      firstAsked.resolve(nowMs());
      if (delayMs === 0) answer(answerTo(head));
      else setTimeout(() => answer(answerTo(head)), delayMs);
    }),
  /** How long each answer takes, in ms. */
  delay: (ms: number) => {
    delayMs = ms;
  },
  /** Forgets what was asked. */
  reset: () => {
    firstAsked = Promise.withResolvers();
  },
  /** When the first request came since then, once one has. */
  whenAsked: () => firstAsked.promise,
  /** What the list of paid invoices shows. */
  list: (payments: typeof listed) => {
    listed = payments;
  },
};

export type ProviderCalls = typeof calls;
answerParent(calls);
