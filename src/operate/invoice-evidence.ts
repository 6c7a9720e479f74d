import { answersOf } from "../confirm/invoices/read-invoices.ts";
import type { Database } from "../database/tables.ts";
import type { Mask } from "../kit/mask.ts";
import { eventsOf } from "../publish/read-events.ts";

const ANSWER_LIMIT = 5;

/** The provider's newest answers about an invoice, and what was published of it; null when there is nothing. */
export async function readEvidence(db: Database, invoiceId: string, personal: Mask = (text) => text) {
  const [answers, events] = await Promise.all([
    answersOf(db, invoiceId, ANSWER_LIMIT),
    eventsOf(db, invoiceId),
  ]);
  if (answers.length + events.length === 0) return null;
  return {
    invoiceId,
    answers: answers.map((answer) => ({ ...answer, document: personal(answer.document) })),
    events: events.map((event) => ({ ...event, payload: personal(event.payload) })),
  };
}
