import { type Evidence, troubleWithin } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
import type { Books } from "./read-books.ts";

type Answer = Books["answers"][number];

/**
 * G6: the stored invoice is the newest of all answers that were stored or certainly arrived; paid stays paid.
 */
export function checkNewest(evidence: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G6", what, about });
  const asked = groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);
  const verdicts = new Map(
    books.confirmations.map((row) => [`${row.source} ${row.invoice_id}`, row.verdict]),
  );

  for (const [key, answers] of groupBy(books.answers, (row) => `${row.source} ${row.invoice_id}`)) {
    const stored = answers.find(({ newest }) => newest);
    if (stored === undefined) {
      find("has other answers, but no newest one", key);
      continue;
    }
    const newer = answers.find((answer) => !answer.newest && isNewer(answer, stored));
    if (newer !== undefined) find("a newer answer was not kept as the newest", key);
    const sure = asked
      .get(key)
      ?.findLast(
        ({ end, status, began, ended }) =>
          end === "whole" && status === 200 && troubleWithin(evidence, began, ended, 3_000) === undefined,
      );
    const modifiedAt = sure?.invoice === null ? null : sure?.invoice.dateModified;
    if (sure?.invoice?.id === stored.invoice_id && timeOf(modifiedAt) > timeOf(stored.document.dateModified))
      find("an answer that certainly arrived is newer than the stored one", key);
  }
  for (const { source, invoice_id } of books.events) {
    const verdict = verdicts.get(`${source} ${invoice_id}`);
    if (verdict !== undefined && verdict !== "paid")
      find(`has an event, but the verdict is ${verdict}`, invoice_id);
  }
  return findings;
}

const timeOf = (date: unknown) => new Date(String(date)).getTime();

/** Larger dateModified; if equal, the one requested later, and only if it differs. */
function isNewer(answer: Answer, stored: Answer): boolean {
  const [one, other] = [timeOf(answer.document.dateModified), timeOf(stored.document.dateModified)];
  return one > other || (one === other && answer.asked_at > stored.asked_at);
}
