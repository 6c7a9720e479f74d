import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { maskedEvidence } from "../kit/mask/masked-evidence.ts";
import { type AsideItem, type AsideList, listAside } from "./set-aside.ts";

/** One item with all that helps to decide about it; personal data masked. */
export interface AsideEvidence extends AsideItem {
  question: {
    state: string;
    verdict: string | null;
    openedBy: string;
    openedAt: Date;
    requestedAt: Date;
    requests: number;
    attempts: number;
    faults: number;
    lastError: string | null;
    /** The provider's answer that could not be used. */
    lastAnswer: string | null;
  } | null;
  event: {
    state: string;
    type: string;
    createdAt: Date;
    attempts: number;
    lastError: string | null;
    payload: string;
  } | null;
  /** What the provider last confirmed. */
  invoice: {
    status: string;
    totalAmount: string | null;
    collection: string | null;
    confirmedAt: Date;
  } | null;
  /** The newest first. */
  callbacks: { id: string; receivedAt: Date; foundBy: string | null }[];
}

/** @param id an invoice's or an event's. @returns nothing when it is not in that list. */
export async function showAside({
  db,
  list,
  id,
}: {
  db: Kysely<Tables>;
  list: AsideList;
  id: string;
}): Promise<AsideEvidence[]> {
  const { items } = await listAside({ db, list, selection: { ids: [id] } });
  return await Promise.all(items.map((item) => withEvidence(db, item)));
}

async function withEvidence(db: Kysely<Tables>, item: AsideItem): Promise<AsideEvidence> {
  const { rows: questions } = await sql<NonNullable<AsideEvidence["question"]>>`
    select state, verdict, opened_by as "openedBy", opened_at as "openedAt", requested_at as "requestedAt", requests,
      attempt as attempts, faults, last_error as "lastError", last_answer as "lastAnswer"
    from confirmation where invoice_id = ${item.invoiceId} and source = ${item.source}`.execute(db);
  const { rows: events } = await sql<NonNullable<AsideEvidence["event"]>>`
    select state, type, created_at as "createdAt", attempt as attempts, last_error as "lastError", payload
    from event where id = ${item.eventId}`.execute(db);
  const { rows: invoices } = await sql<NonNullable<AsideEvidence["invoice"]>>`
    select status, total_amount as "totalAmount", collection_name as collection, confirmed_at as "confirmedAt"
    from invoice where id = ${item.invoiceId}`.execute(db);
  const { rows: callbacks } = await sql<AsideEvidence["callbacks"][number]>`
    select id, received_at as "receivedAt", found_by as "foundBy" from callback
    where invoice_ids[1] = ${item.invoiceId} or (cardinality(invoice_ids) > 1 and invoice_ids @> array[${item.invoiceId}::uuid])
    order by received_at desc limit 5`.execute(db);
  const [question] = questions;
  const [event] = events;
  return {
    ...item,
    question:
      question === undefined
        ? null
        : {
            ...question,
            lastAnswer: question.lastAnswer === null ? null : maskedEvidence(question.lastAnswer),
          },
    event: event === undefined ? null : { ...event, payload: maskedEvidence(event.payload) },
    invoice: invoices[0] ?? null,
    callbacks,
  };
}
