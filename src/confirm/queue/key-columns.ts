import { type RawBuilder, sql } from "kysely";
import { type Columns, text, uuid } from "../../database/columns.ts";
import type { ConfirmationKey } from "./confirmation.ts";

/** Which confirmations a statement is about. */
export const KEY: Columns<ConfirmationKey> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
};

/** A condition on rows of `confirmation`: one of those in `given`. */
export const isGiven = sql<boolean>`
  confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`;

/**
 * Those of the keys in the table `given` that have a confirmation on which the condition holds, locked in the
 * order in which everything locks confirmations: whatever changes several of them takes them from here.
 */
export const lockedOf = (
  given: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  (select confirmation.invoice_id, confirmation.source
    from ${given} join confirmation on ${isGiven} and ${condition}
    order by confirmation.invoice_id, confirmation.source for update of confirmation) as given`;
