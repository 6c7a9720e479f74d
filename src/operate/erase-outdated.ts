import { type Kysely, sql } from "kysely";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { eraseEverything } from "./erase.ts";
import { outdatedInvoices } from "./open-invoices.ts";

/** So many are blanked in one run; the next one goes on. */
const MOST = 5_000;

export interface OutdatedOptions {
  db: Kysely<Tables>;
  actor: string;
  /** Why, for the audit log. */
  reason?: string | undefined;
  /** PERSONAL_DATA_RETENTION, in ms. */
  ageMs: number;
  dryRun: boolean;
}

export interface OutdatedResult {
  /** Invoices confirmed last before this moment lose their personal data. */
  before: Date;
  invoices: number;
  /** Whether more of them are left. */
  more: boolean;
}

/**
 * Blanks what is older than PERSONAL_DATA_RETENTION, as `erase` does, but for invoices that are still open.
 */
export async function eraseOutdated(options: OutdatedOptions): Promise<OutdatedResult> {
  const { db, actor, reason, ageMs, dryRun } = options;
  const clock = await sql<{ before: Date }>`
    select clock_timestamp() - ${ageMs}::float8 * interval '1 ms' as before`.execute(db);
  const before = clock.rows[0]?.before ?? new Date(0);
  if (dryRun) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (${outdatedInvoices(before)}) as outdated`.execute(db);
    return { before, invoices: rows[0]?.count ?? 0, more: false };
  }
  const { rows } = await sql<{ id: string }>`${outdatedInvoices(before)} limit ${MOST}`.execute(db);
  for (const { id } of rows) {
    await db.transaction().execute(async (trx) => {
      await eraseEverything(trx, id);
      step("personal data to be blanked");
    });
    step("personal data blanked");
  }
  if (rows.length > 0) {
    const detail = { before, invoices: rows.length };
    const action = "retention.personal_data";
    await audit(db, [{ actor, action, subject: "invoice", invoiceId: null, detail, reason }]);
  }
  return { before, invoices: rows.length, more: rows.length === MOST };
}
