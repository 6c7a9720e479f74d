import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

export interface AuditedChange {
  id: number;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  invoiceId: string | null;
  detail: Record<string, unknown>;
}

/** Who changed what, the newest first. */
export async function readAuditLog({
  db,
  invoiceId,
  before,
  limit,
}: {
  db: Kysely<Tables>;
  invoiceId?: string | undefined;
  /** Only entries older than the one with this id. */
  before?: number | undefined;
  limit: number;
}): Promise<AuditedChange[]> {
  const { rows } = await sql<AuditedChange>`
    select id, at, actor, action, subject, invoice_id as "invoiceId", detail from audit_entry
    where ${invoiceId === undefined ? sql`true` : sql`invoice_id = ${invoiceId}`}
      and ${before === undefined ? sql`true` : sql`id < ${before}`}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}
