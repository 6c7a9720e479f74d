import { randomUUID } from "node:crypto";

interface Shape {
  method?: "POST" | "GET" | "HEAD";
  /** With its question mark. */
  query?: string;
  /** The Content-Type; none when left out. */
  type?: string;
  body?: string;
}

const json = (value: unknown, type = "application/json"): Shape => ({ type, body: JSON.stringify(value) });
const form = (fields: Record<string, string>): Shape => ({
  type: "application/x-www-form-urlencoded",
  body: new URLSearchParams(fields).toString(),
});
const documented = (id: string, data = {}, event = "payment.successful") => ({
  ...{ id: randomUUID(), event, createdAt: "2026-11-01T09:00:00.000Z" },
  data: { id, collectionId: randomUUID(), status: "Paid", totalAmount: 1524.7, ...data },
});

/** The shapes of callbacks across comparable providers that name the invoice (interface, part C). */
export const NAMING_SHAPES: Record<string, (id: string) => Shape> = {
  documented: (id) => json(documented(id)),
  bare: (id) => json({ id, status: "Paid" }),
  envelope: (id) => json({ status: "success", data: { id, invoiceStatus: "Paid" } }),
  form: (id) => form({ id }),
  "form-json": (id) => form({ data: JSON.stringify(documented(id).data) }),
  redirect: (id) => ({ method: "GET", query: `?invoiceId=${id}&status=Paid` }),
  events: (id) => json({ events: [{ data: { id } }] }),
  array: (id) => json([documented(id)]),
  "other-casing": (id) => json({ Event: "payment.successful", Data: { Id: id.toUpperCase() } }),
  "text-plain": (id) => json(documented(id), "text/plain"),
  "no-content-type": (id) => ({ body: JSON.stringify(documented(id)) }),
  strings: (id) => json(documented(id, { totalAmount: "1524.70", paymentDate: "" })),
  "unknown-event": (id) => json(documented(id, {}, "invoice.expired")),
};

/** Those that name none. */
export const SILENT_SHAPES: Record<string, Shape> = {
  "redirect-bare": { method: "GET" },
  empty: { type: "application/json", body: "" },
  head: { method: "HEAD" },
  ping: json({ event: "ping" }),
};

/** Sends one, with exactly the headers that it has. */
export async function sendShape(
  url: string,
  { method = "POST", query = "", type, body }: Shape,
): Promise<number> {
  const answer = await fetch(url + query, {
    method,
    headers: type === undefined ? {} : { "content-type": type },
    // As bytes, so that fetch adds no Content-Type.
    ...(method === "POST" && { body: Buffer.from(body ?? "") }),
  });
  await answer.body?.cancel();
  return answer.status;
}
