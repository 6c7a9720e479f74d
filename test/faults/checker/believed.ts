import type { Asked, Evidence } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
import type { Books } from "./read-books.ts";

/** G3: stored answers and events contain only what the provider told this source about this invoice. */
export function checkBelieved(evidence: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G3", what, about });
  const said = groupBy(
    evidence.asked.filter((ask) => ask.invoice !== null),
    (ask) => `${ask.source} ${ask.invoiceId}`,
  );
  for (const { source, invoice_id, document } of books.answers) {
    const key = `${source} ${invoice_id}`;
    const stored = comparable(document);
    if (!(said.get(key) ?? []).some(({ invoice }) => comparable(invoice ?? {}) === stored))
      find("stored, but never said by the provider", key);
  }
  for (const { source, invoice_id, payload, erased } of books.events) {
    if (erased) continue;
    const key = `${source} ${invoice_id}`;
    if (!(said.get(key) ?? []).some((ask) => tellsOf(JSON.parse(payload).data, ask)))
      find("an event with content that the provider never said", key);
  }
  return findings;
}

/** Without the callback URL, whose token is masked when it is stored. */
function comparable({ callBackUrl: _, ...document }: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(document).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const SAME = ["title", "collectionName", "type", "paymentMethod"] as const;
const MONEY = ["amount", "serviceCharge", "vat", "totalAmount", "settleableAmount"] as const;

function tellsOf(data: Record<string, unknown>, { invoice, invoiceId }: Asked): boolean {
  if (invoice === null || invoice.status !== "Paid" || invoice.id !== invoiceId) return false;
  const payer = data.payer as Record<string, unknown> | null;
  return (
    data.invoiceId === invoiceId &&
    SAME.every((field) => data[field] === invoice[field]) &&
    MONEY.every((field) => Number(data[field]) === invoice[field]) &&
    new Date(String(data.paidAt)).getTime() === new Date(String(invoice.paymentDate)).getTime() &&
    (payer === null || (payer.name === invoice.payerName && payer.email === invoice.payerEmail))
  );
}
