import { type Kysely, sql } from "kysely";
import { type Columns, json, text, uuid } from "./columns.ts";
import { type Slots, Statement } from "./statement.ts";
import type { Tables } from "./tables.ts";

/** One thing that someone changed by hand. */
export interface AuditEntry {
  /** Who: `cli:<user>`, `admin:<token's name>`, or `relay` for what it does by itself. */
  actor: string;
  /** What: `dead.retry`, `quarantine.release`, `replay.start`, `erase`, … */
  action: string;
  /** The thing that was touched: an invoice id, event id, replay id, source, topic or partition. */
  subject: string;
  /** The invoice that it belongs to; null when it belongs to none. */
  invoiceId: string | null;
  /** What a person wants to know later; no secrets, no personal data. */
  detail: Record<string, unknown>;
}

const ENTRY: Columns<AuditEntry> = {
  actor: text(({ actor }) => actor),
  action: text(({ action }) => action),
  subject: text(({ subject }) => subject),
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  detail: json(({ detail }) => JSON.stringify(detail)),
};

const writing = new Statement(
  {},
  ({ table }: Slots<readonly AuditEntry[]>) => sql`
    insert into audit_entry (actor, action, subject, invoice_id, detail)
    select actor, action, subject, invoice_id, detail from ${table("entry", ENTRY, (entries) => entries)}`,
);

/**
 * Writes the entries; inside the transaction of the change itself, so that no change stands without its
 * entry.
 */
export async function audit(db: Kysely<Tables>, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await writing.execute(db, entries);
}

/** One of them, as lists show it. */
export interface AuditedChange extends AuditEntry {
  id: number;
  at: Date;
}

/** Who changed what, the newest first. @param before only entries older than the one with this id. */
export async function readAuditLog({
  db,
  invoiceId,
  before,
  limit,
}: {
  db: Kysely<Tables>;
  invoiceId?: string | undefined;
  before?: number | undefined;
  limit: number;
}): Promise<AuditedChange[]> {
  let query = db
    .selectFrom("audit_entry")
    .select(["id", "at", "actor", "action", "subject", "invoice_id as invoiceId", "detail"])
    .orderBy("id", "desc")
    .limit(limit);
  if (invoiceId !== undefined) query = query.where("invoice_id", "=", invoiceId);
  if (before !== undefined) query = query.where("id", "<", before);
  return (await query.execute()) as AuditedChange[];
}
