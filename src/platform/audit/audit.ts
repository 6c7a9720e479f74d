import { type RawBuilder, sql } from "kysely";
import type { AlarmName } from "../alarms/index.ts";
import {
  type Columns,
  type Database,
  json,
  query,
  returned,
  type Slots,
  Statement,
  text,
  typed,
  uuid,
} from "../database/index.ts";

/** The context of every change by hand. */
export interface ByHand {
  db: Database;
  /** Who: `cli:<user>`, `admin:<token's name>`, or `relay` for what it does by itself. */
  actor: string;
  /** Why, for the audit log; no personal data. */
  reason?: string | undefined;
}

/** A single change by hand; `reason` is kept in `detail`. */
interface AuditEntry extends Omit<ByHand, "db"> {
  /** The change: `dead.retry`, `quarantine.release`, `replay.start`, `erase`, … */
  action: string;
  /** The thing that was touched: an invoice id, event id, replay id, source, topic or partition. */
  subject: string;
  /** The invoice that it belongs to; null when it belongs to none. */
  invoiceId: string | null;
  /** Details that help later; no secrets, no personal data. */
  detail: Record<string, unknown>;
}

function detailOf({ detail, reason }: AuditEntry): string {
  return JSON.stringify(reason === undefined ? detail : { ...detail, reason });
}

const ENTRY: Columns<AuditEntry> = {
  actor: text(({ actor }) => actor),
  action: text(({ action }) => action),
  subject: text(({ subject }) => subject),
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  detail: json(detailOf),
};

const insertEntries = new Statement(
  {},
  ({ table }: Slots<readonly AuditEntry[]>) => sql`
    insert into audit_entry (actor, action, subject, invoice_id, detail)
    select actor, action, subject, invoice_id, detail from ${table("entry", ENTRY, (entries) => entries)}`,
);

/**
 * Writes the entries; inside the transaction of the change itself, so that no change stands without its
 * entry.
 */
export async function audit(db: Database, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await insertEntries.execute(db, entries);
}

/** A condition: since then a person has closed the alarm of that name about that subject. */
export const closedByHandSince = (
  alarm: AlarmName,
  subject: RawBuilder<unknown>,
  since: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from audit_entry where action = 'alarm.close' and audit_entry.subject = ${subject}
    and detail ->> 'name' = ${sql.lit(alarm)} and at > ${since})`;

interface AuditedChange extends Omit<AuditEntry, "reason"> {
  id: number;
  at: Date;
}

interface AuditFilters {
  invoiceId?: string | undefined;
  actor?: string | undefined;
  /** `dead.retry`, or what it begins with: `dead`. */
  action?: string | undefined;
  subject?: string | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
  /** Only entries older than the one with this id. */
  before?: number | undefined;
}

const selectAudited = query((db, filters: AuditFilters, limit: number) => {
  const { invoiceId, actor, action, subject, from, to, before } = filters;
  let found = db
    .selectFrom("audit_entry")
    .select(["id", "at", "actor", "action", "subject", "invoice_id as invoiceId", "detail"])
    .orderBy("id", "desc")
    .limit(limit);
  if (invoiceId !== undefined) found = found.where("invoice_id", "=", invoiceId);
  if (actor !== undefined) found = found.where("actor", "=", actor);
  if (action !== undefined)
    found = found.where((is) => is.or([is("action", "=", action), is("action", "^@", `${action}.`)]));
  if (subject !== undefined) found = found.where("subject", "=", subject);
  if (from !== undefined) found = found.where("at", ">=", typed(returned.time, sql`${from}`));
  if (to !== undefined) found = found.where("at", "<", typed(returned.time, sql`${to}`));
  if (before !== undefined) found = found.where("id", "<", before);
  return found;
});

export const readAuditLog = async ({
  db,
  limit,
  ...filters
}: AuditFilters & { db: Database; limit: number }) =>
  (await selectAudited(db, filters, limit).execute()) as AuditedChange[];
