import { type Kysely, sql } from "kysely";
import { audit, type ByHand } from "../alarms/audit.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import { step } from "../kit/step.ts";
import { eraseEverything } from "./erase.ts";
import { outdatedInvoices } from "./open-invoices.ts";

/** About the most invoices in one run; the next run continues. */
const MOST = 5_000;

/** After so many in a row the cause is none of an invoice's own. */
const MOST_IN_A_ROW = 20;

export interface OutdatedOptions extends ByHand {
  /** PERSONAL_DATA_RETENTION, in ms. */
  ageMs: number;
}

export interface OutdatedResult {
  /** Invoices last settled before this time lose their personal data. */
  before: Date;
  invoices: number;
  /** Whether more are left. */
  more: boolean;
  /** The first one that could not be blanked, and why; null when all could. */
  stuck: string | null;
}

const dating = new Statement(
  { before: returned.time },
  ({ value }: Slots<{ ageMs: number }>) =>
    sql`select clock_timestamp() - ${value(({ ageMs }) => ageMs)}::float8 * interval '1 ms' as before`,
);

const dateOf = async (db: Kysely<Tables>, ageMs: number): Promise<Date> =>
  (await dating.execute(db, { ageMs }))[0]?.before ?? new Date(0);

/** How many PERSONAL_DATA_RETENTION would blank now. */
export async function countOutdated(db: Kysely<Tables>, ageMs: number): Promise<OutdatedResult> {
  const before = await dateOf(db, ageMs);
  const ids = new Set<string>();
  for await (const some of outdatedInvoices(db, before)) for (const { invoiceId } of some) ids.add(invoiceId);
  return { before, invoices: ids.size, more: false, stuck: null };
}

/**
 * Erases personal data older than PERSONAL_DATA_RETENTION, as `erase` does; open invoices are skipped. One
 * that fails stops no other.
 */
export async function eraseOutdated({ db, actor, reason, ageMs }: OutdatedOptions): Promise<OutdatedResult> {
  const before = await dateOf(db, ageMs);
  let invoices = 0;
  let inARow = 0;
  let stuck: string | null = null;
  for await (const some of outdatedInvoices(db, before)) {
    for (const invoiceId of new Set(some.map((one) => one.invoiceId))) {
      try {
        await eraseOne(db, invoiceId);
        invoices += 1;
        inARow = 0;
      } catch (error) {
        inARow += 1;
        stuck ??= `invoice ${invoiceId} could not be blanked: ${messageOf(error)}`;
        if (inARow >= MOST_IN_A_ROW) break;
      }
    }
    if (invoices >= MOST || inARow >= MOST_IN_A_ROW) break;
  }
  if (invoices > 0) {
    const detail = { before, invoices };
    const action = "retention.personal_data";
    await audit(db, [{ actor, action, subject: "invoice", invoiceId: null, detail, reason }]);
  }
  return { before, invoices, more: invoices >= MOST, stuck };
}

async function eraseOne(db: Kysely<Tables>, invoiceId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await eraseEverything(trx, invoiceId);
    step("personal data to be blanked");
  });
  step("personal data blanked");
}
