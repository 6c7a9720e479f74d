import { type Kysely, sql } from "kysely";
import { audit } from "../database/audit.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { eraseEverything } from "./erase.ts";
import { outdatedInvoices } from "./open-invoices.ts";

/** The most invoices in one run; the next run continues. */
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
  /** Invoices last confirmed before this time lose their personal data. */
  before: Date;
  invoices: number;
  /** Whether more are left. */
  more: boolean;
}

const dating = new Statement(
  { before: returned.time },
  ({ value }: Slots<{ ageMs: number }>) =>
    sql`select clock_timestamp() - ${value(({ ageMs }) => ageMs)}::float8 * interval '1 ms' as before`,
);

const counting = new Statement(
  { count: returned.count },
  ({ value }: Slots<{ before: Date }>) =>
    sql`select count(*) as count from (${outdatedInvoices(value(({ before }) => before))}) as outdated`,
);

const selecting = new Statement(
  { id: returned.uuid },
  ({ value }: Slots<{ before: Date; most: number }>) =>
    sql`${outdatedInvoices(value(({ before }) => before))} limit ${value(({ most }) => most)}`,
);

/**
 * Erases personal data older than PERSONAL_DATA_RETENTION, as `erase` does; open invoices are skipped.
 */
export async function eraseOutdated(options: OutdatedOptions): Promise<OutdatedResult> {
  const { db, actor, reason, ageMs, dryRun } = options;
  const [dated] = await dating.execute(db, { ageMs });
  const before = dated?.before ?? new Date(0);
  if (dryRun) {
    const [counted] = await counting.execute(db, { before });
    return { before, invoices: counted?.count ?? 0, more: false };
  }
  const rows = await selecting.execute(db, { before, most: MOST });
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
