import { type Kysely, sql } from "kysely";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { ConfirmationKey, ConfirmationState, OpenedBy, Verdict } from "./confirmation.ts";
import { isGiven, KEY } from "./key-columns.ts";

const STANDING = {
  invoiceId: returned.uuid,
  source: returned.text(),
  state: returned.text<ConfirmationState>(),
  verdict: nullable(returned.text<Verdict>()),
  openedBy: returned.text<OpenedBy>(),
  openedAt: returned.time,
  /** When it was last asked for. */
  requestedAt: returned.time,
};

/** Where a confirmation stands, and since when. */
export type Standing = RowOf<typeof STANDING>;

const reading = new Statement(
  STANDING,
  ({ table }: Slots<readonly ConfirmationKey[]>) => sql`
    select confirmation.invoice_id as "invoiceId", confirmation.source, state, verdict,
      opened_by as "openedBy", opened_at as "openedAt", requested_at as "requestedAt"
    from ${table("given", KEY, (keys) => keys)} join confirmation on ${isGiven}`,
);

/** The standings of these confirmations, in no order; those that do not exist are left out. */
export async function standingsOf(db: Kysely<Tables>, keys: readonly ConfirmationKey[]): Promise<Standing[]> {
  return keys.length === 0 ? [] : await reading.execute(db, keys);
}
