import { type Columns, text, uuid } from "../database/columns.ts";
import type { ConfirmationKey } from "./confirmation.ts";

/** Which confirmations a statement is about. */
export const KEY: Columns<ConfirmationKey> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
};
