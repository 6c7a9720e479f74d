import type { Happening, ListedInvoice } from "../api/types.ts";

/** A payment and the last that is known to have happened to it. */
export type Newest = Omit<Happening, "what"> & { what: string };

/** The payments that something happened to last: what came live, before what was there when one arrived. */
export function newestOf(
  live: readonly Happening[],
  listed: readonly ListedInvoice[],
  most: number,
): Newest[] {
  const byPayment = new Map<string, Newest>();
  const add = (payment: Newest) => {
    const key = `${payment.source} ${payment.invoiceId}`;
    const known = byPayment.get(key);
    // Published is the end of it: a confirmation that is told late takes nothing back.
    if (known === undefined || (known.what === "confirmed" && payment.what === "published"))
      byPayment.set(key, payment);
  };
  for (const happening of live) add(happening);
  for (const { event, verdict, confirmedAt, ...invoice } of listed)
    if (confirmedAt !== null) add({ ...invoice, at: confirmedAt, what: event ?? verdict ?? "pending" });
  return [...byPayment.values()]
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, most);
}
