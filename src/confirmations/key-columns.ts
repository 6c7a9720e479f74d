import { sql } from "kysely";
import { type Columns, text, uuid } from "../database/columns.ts";
import type { ConfirmationKey } from "./confirmation.ts";

/** Which confirmations a statement is about. */
export const KEY: Columns<ConfirmationKey> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
};

/** A condition on rows of `confirmation`: one of those in `given`. */
export const isGiven = sql<boolean>`
  confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`;
