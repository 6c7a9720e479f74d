import type { Evidence } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
import type { Books } from "./read-books.ts";

/**
 * G1: a callback that got a 2xx is in the log, unchanged and once, together with the confirmations it opens;
 * the log contains nothing that was not sent; and a refused sender was told when to retry.
 */
export function checkRecorded({ callbacks }: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G1", what, about });
  const rows = groupBy(books.callbacks, (row) => row.sent_as ?? "");
  const opened = new Set(books.confirmations.map((row) => `${row.source} ${row.invoice_id}`));
  const known = new Set(callbacks.map(({ sent }) => sent.id));

  for (const { sent, answered, taken } of callbacks) {
    const [row, ...more] = rows.get(sent.id) ?? [];
    if (taken && row === undefined) find("answered 2xx, but not in the log", sent.id);
    if (answered?.status === 503 && !/^[1-9]\d*$/.test(answered.retryAfter ?? ""))
      find("answered 503 without Retry-After", sent.id);
    if (row === undefined) continue;
    if (more.length > 0) find(`in the log ${more.length + 1} times`, sent.id);
    for (const field of ["source", "method", "query", "body"] as const)
      if (row[field] !== sent[field]) find(`its ${field} is not what was sent`, sent.id);
    for (const id of sent.invoiceIds) {
      if (!row.invoice_ids.includes(id)) find(`invoice ${id} was not found in it`, sent.id);
      if (!opened.has(`${row.source} ${id}`)) find(`in the log, but invoice ${id} was never opened`, sent.id);
    }
  }
  for (const row of books.callbacks)
    if (!known.has(row.sent_as ?? "")) find("in the log, but never sent", row.id);
  return findings;
}
