import { type Asked, type Evidence, type Findings, troubleWithin } from "./evidence.ts";
import type { Books } from "./read-books.ts";

/** G3: stored answers and events contain only what the provider told this source about this invoice. */
export function* checkBelieved(evidence: Evidence, books: Books): Findings {
  const said = Map.groupBy(
    evidence.asked.filter((ask) => ask.invoice !== null),
    (ask) => `${ask.source} ${ask.invoiceId}`,
  );
  for (const { source, invoice_id, document } of books.answers) {
    const key = `${source} ${invoice_id}`;
    const stored = comparable(document);
    if (!(said.get(key) ?? []).some(({ invoice }) => comparable(invoice ?? {}) === stored))
      yield ["stored, but never said by the provider", key];
  }
  for (const { source, invoice_id, payload, erased } of books.events) {
    if (erased) continue;
    const key = `${source} ${invoice_id}`;
    if (!(said.get(key) ?? []).some((ask) => tellsOf(JSON.parse(payload).data, ask)))
      yield ["an event with content that the provider never said", key];
  }
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

type Answer = Books["answers"][number];

/**
 * G6: the stored invoice is the newest of all answers that were stored or certainly arrived; paid stays paid.
 */
export function* checkNewest(evidence: Evidence, books: Books): Findings {
  const asked = Map.groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);
  const verdicts = new Map(
    books.confirmations.map((row) => [`${row.source} ${row.invoice_id}`, row.verdict]),
  );

  for (const [key, answers] of Map.groupBy(books.answers, (row) => `${row.source} ${row.invoice_id}`)) {
    const stored = answers.find(({ newest }) => newest);
    if (stored === undefined) {
      yield ["has other answers, but no newest one", key];
      continue;
    }
    const newer = answers.find((answer) => !answer.newest && isNewer(answer, stored));
    if (newer !== undefined) yield ["a newer answer was not kept as the newest", key];
    const sure = asked
      .get(key)
      ?.findLast(
        ({ end, status, began, ended }) =>
          end === "whole" && status === 200 && troubleWithin(evidence, began, ended, 3_000) === undefined,
      );
    const modifiedAt = sure?.invoice === null ? null : sure?.invoice.dateModified;
    if (sure?.invoice?.id === stored.invoice_id && timeOf(modifiedAt) > timeOf(stored.document.dateModified))
      yield ["an answer that certainly arrived is newer than the stored one", key];
  }
  for (const { source, invoice_id } of books.events) {
    const verdict = verdicts.get(`${source} ${invoice_id}`);
    if (verdict !== undefined && verdict !== "paid")
      yield [`has an event, but the verdict is ${verdict}`, invoice_id];
  }
}

const timeOf = (date: unknown) => new Date(String(date)).getTime();

/** Larger dateModified; if equal, the one requested later, and only if it differs. */
function isNewer(answer: Answer, stored: Answer): boolean {
  const [one, other] = [timeOf(answer.document.dateModified), timeOf(stored.document.dateModified)];
  return one > other || (one === other && answer.asked_at > stored.asked_at);
}

/** How long after its due time, or the end of its lease, a confirmation may wait, in ms. */
const LATE_MS = 5_000;

/** The snapshot's time may differ from Postgres' clock by this, in ms; every step of the retry schedule is longer. */
const SOON_MS = 1_000;

/**
 * G2: at rest, every confirmation has a verdict, is a dead letter, or waits on the retry schedule for a reason; and
 * an invoice that is paid at the provider and that the relay knows of has an event.
 */
export function* checkVerdicts(evidence: Evidence, books: Books): Findings {
  const asked = Map.groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);
  const events = new Set(books.events.map((event) => `${event.source} ${event.invoice_id}`));

  for (const row of books.confirmations) {
    const key = `${row.source} ${row.invoice_id}`;
    const last = asked.get(key)?.findLast((ask) => ask.end === "whole");
    const isPaid =
      last?.status === 200 && last.invoice?.status === "Paid" && last.invoice.id === row.invoice_id;
    if (row.state === "claimed" && (row.claimed_until ?? 0) < books.read_at - LATE_MS)
      yield ["claimed, but the lease expired long ago", key];
    if (row.state === "done" && row.verdict === null) yield ["done without a verdict", key];
    if (row.state === "due" && row.due_at < books.read_at - LATE_MS) yield ["due, but not asked", key];
    // One that is paid was opened again, by a sweep that had read the books earlier: it shares an ask to come.
    if (row.state === "due" && row.due_at > books.read_at + SOON_MS && isPaid && row.verdict !== "paid")
      yield ["the provider said paid, but it still waits", key];
    if (row.state === "done" && !asked.has(key)) yield [`${row.verdict} without having been asked`, key];
    if (row.verdict === "paid" && !events.has(key)) yield ["paid without an event", key];
    if (row.state === "done" && row.verdict !== "paid" && isPaid)
      yield [`the provider said paid, but the verdict is ${row.verdict}`, key];
  }
}
