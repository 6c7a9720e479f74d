import { type Kysely, sql } from "kysely";
import { type Money, sumOfMoney } from "../collection-api/index.ts";
import type { Tables, Verdict } from "../database/tables.ts";
import { plain } from "./paid-list.ts";
import type { ReconcileSource } from "./reconcile-source.ts";

/** All that the relay holds of one invoice, as far as a certificate asks. */
export interface LedgerEntry {
  invoiceId: string;
  /** null when it never had a question. */
  question: {
    state: "due" | "claimed" | "done" | "dead";
    verdict: Verdict | null;
    recordOnly: boolean;
    lastError: string | null;
  } | null;
  /** The confirmed answer, while it says paid. */
  stored: { paidAt: Date | null; amount: Money | null } | null;
  /** As confirmed, whatever the status; null when nobody knows. */
  type: string | null;
  event: {
    state: "due" | "claimed" | "held" | "published" | "dead";
    lastError: string | null;
    amount: Money | null;
    /** SNS took it: by the usual way, or on a replay to the live topic. */
    accepted: boolean;
  } | null;
}

const BATCH = 1_000;

/** The entries of these invoices, one each. */
export async function readLedger(
  db: Kysely<Tables>,
  source: ReconcileSource,
  invoiceIds: readonly string[],
): Promise<Map<string, LedgerEntry>> {
  const entries = new Map<string, LedgerEntry>();
  for (let from = 0; from < invoiceIds.length; from += BATCH) {
    for (const entry of await readBatch(db, source, invoiceIds.slice(from, from + BATCH)))
      entries.set(entry.invoiceId, entry);
  }
  return entries;
}

/** The invoices that are stored as paid in the window, in collections of these names. */
export async function readStoredPayments(
  db: Kysely<Tables>,
  source: ReconcileSource,
  window: { from: Date; to: Date },
  collectionNames: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from invoice
    where source = ${source.name} and paid_at >= ${window.from} and paid_at < ${window.to}
      and lower(btrim(status)) = any(${source.paidStatuses.map(plain)}::text[]) and collection_name = any(${collectionNames}::text[])
    order by id`.execute(db);
  return rows.map((row) => row.id);
}

interface Row {
  invoiceId: string;
  question: LedgerEntry["question"];
  status: string | null;
  type: string | null;
  paidAt: Date | null;
  storedAmount: string | null;
  eventState: NonNullable<LedgerEntry["event"]>["state"] | null;
  eventError: string | null;
  eventAmount: string | null;
  accepted: boolean;
}

async function readBatch(
  db: Kysely<Tables>,
  source: ReconcileSource,
  invoiceIds: readonly string[],
): Promise<LedgerEntry[]> {
  const { rows } = await sql<Row>`
    select given.id as "invoiceId", invoice.status, invoice.type, invoice.paid_at as "paidAt", invoice.amount as "storedAmount",
      case when question.invoice_id is not null then json_build_object('state', question.state, 'verdict', question.verdict,
        'recordOnly', question.record_only, 'lastError', question.last_error) end as question,
      event.state as "eventState", event.last_error as "eventError", event.payload::json #>> '{data,amount}' as "eventAmount",
      exists (
        select from publication
        where publication.event_id = event.id and (publication.replay_id is null or publication.topic_arn = ${source.liveTopicArn})) as accepted
    from unnest(${invoiceIds}::uuid[]) as given (id)
    left join invoice on invoice.id = given.id and invoice.source = ${source.name}
    left join confirmation as question on question.invoice_id = given.id and question.source = ${source.name}
    left join event on event.invoice_id = given.id and event.type = 'invoice.paid'`.execute(db);
  const paid = new Set(source.paidStatuses.map(plain));
  return rows.map((row) => ({
    invoiceId: row.invoiceId,
    question: row.question,
    type: row.type,
    stored:
      row.status !== null && paid.has(plain(row.status))
        ? { paidAt: row.paidAt, amount: money(row.storedAmount) }
        : null,
    event:
      row.eventState === null
        ? null
        : {
            state: row.eventState,
            lastError: row.eventError,
            amount: money(row.eventAmount),
            accepted: row.accepted,
          },
  }));
}

/** As money is written everywhere else: at least two decimals. */
const money = (digits: string | null): Money | null => (digits === null ? null : sumOfMoney([digits]));
