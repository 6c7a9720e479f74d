import { randomUUID } from "node:crypto";
import { startServer } from "../../test/support/own-server.ts";

const DAY_MS = 86_400_000;

export interface LargeList {
  url: string;
  collectionId: string;
  /** Requests for pages since it was reset. */
  pages: number;
  /** Adds paid invoices. @param createdAt of the first; the others follow within the hour. */
  add(count: number, createdAt: Date, paidAt?: Date): void;
  close(): Promise<unknown>;
}

interface Listed {
  id: string;
  createdAt: number;
  paidAt: number;
}

/** A provider whose only list has so many paid invoices on each of so many days, dated by their creation. */
export async function startLargeList(perDay: number, days: number): Promise<LargeList> {
  // The newest first; kept in order.
  let invoices: Listed[] = [];
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const collectionId = "c0113c70-0000-4000-8000-00000000000a";
  const list: LargeList = {
    url: "",
    collectionId,
    pages: 0,
    add(count, createdAt, paidAt) {
      const added = Array.from({ length: count }, (_, n) => {
        const created = createdAt.getTime() + Math.floor((n * 3_600_000) / count);
        return { id: randomUUID(), createdAt: created, paidAt: paidAt?.getTime() ?? created + 60_000 };
      });
      invoices = [...invoices, ...added].sort((one, other) => other.createdAt - one.createdAt);
    },
    close: async () => undefined,
  };
  for (let day = days - 1; day >= 0; day -= 1) {
    // Today's are of the first minutes, so that there are as many at any time of day.
    invoices.unshift(
      ...Array.from({ length: perDay }, (_, n) => {
        const createdAt = today - day * DAY_MS + Math.floor((n * (day === 0 ? 1_000 : DAY_MS)) / perDay);
        return { id: randomUUID(), createdAt, paidAt: createdAt + 60_000 };
      }).reverse(),
    );
  }
  /** The first that was created before a moment. */
  const place = (before: number) => {
    let [low, high] = [0, invoices.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((invoices[middle]?.createdAt ?? 0) >= before) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const server = await startServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "http://provider");
    response.setHeader("content-type", "application/json");
    const answer = (data: object) => response.end(JSON.stringify({ status: "success", message: "ok", data }));
    if (pathname === `/api/v1/collections/${collectionId}`)
      return answer({ id: collectionId, collectionName: "Term 1" });
    if (!pathname.endsWith("/invoices")) return response.writeHead(404).end("{}");
    list.pages += 1;
    const [page, pageSize] = [Number(query.get("page")), Number(query.get("pageSize"))];
    const isPaid = (query.get("invoiceStatus") ?? "Paid") === "Paid" && query.get("invoiceType") !== "Test";
    const first = place(Date.parse(`${query.get("endDate") ?? "9999-01-01"}`) + DAY_MS);
    const end = isPaid ? place(Date.parse(query.get("startDate") ?? "2000-01-01")) : first;
    const items = invoices.slice(first, end).slice((page - 1) * pageSize, page * pageSize);
    answer({
      items: items.map(({ id, createdAt, paidAt }) => ({
        ...{ id, title: "School fees", amount: 1500.5, status: "Paid", payerName: null, payerEmail: null },
        dateCreated: new Date(createdAt).toISOString(),
        datePaid: new Date(paidAt).toISOString(),
      })),
      ...{ page, pageSize, totalCount: end - first, hasPreviousPage: page > 1 },
      hasNextPage: page * pageSize < end - first,
    });
  });
  list.url = server.url;
  list.close = server.close;
  return list;
}
