import type { Evidence } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
import type { Books } from "./read-books.ts";

/** How long after its due time, or the end of its lease, a confirmation may wait, in ms. */
const LATE_MS = 5_000;

/** The snapshot's time may differ from Postgres' clock by this, in ms; every step of the ladder is longer. */
const SOON_MS = 1_000;

/**
 * G2: at rest, every confirmation has a verdict, is a dead letter, or waits on the ladder for a reason; and
 * an invoice that is paid at the provider and that the relay knows of has an event.
 */
export function checkVerdicts(evidence: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G2", what, about });
  const asked = groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);
  const events = new Set(books.events.map((event) => `${event.source} ${event.invoice_id}`));

  for (const row of books.confirmations) {
    const key = `${row.source} ${row.invoice_id}`;
    const last = asked.get(key)?.findLast((ask) => ask.end === "whole");
    const isPaid =
      last?.status === 200 && last.invoice?.status === "Paid" && last.invoice.id === row.invoice_id;
    if (row.state === "claimed" && (row.claimed_until ?? 0) < books.read_at - LATE_MS)
      find("claimed, but the lease expired long ago", key);
    if (row.state === "done" && row.verdict === null) find("done without a verdict", key);
    if (row.state === "due" && row.due_at < books.read_at - LATE_MS) find("due, but not asked", key);
    // One that is due now was opened again, by a sweep that had read the books earlier.
    if (row.state === "due" && row.due_at > books.read_at + SOON_MS && isPaid)
      find("the provider said paid, but it still waits", key);
    if (row.state === "done" && !asked.has(key)) find(`${row.verdict} without having been asked`, key);
    if (row.verdict === "paid" && !events.has(key)) find("paid without an event", key);
    if (row.state === "done" && row.verdict !== "paid" && isPaid)
      find(`the provider said paid, but the verdict is ${row.verdict}`, key);
  }
  return findings;
}
