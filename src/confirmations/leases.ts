import { LeasedRows } from "../database/leased-rows.ts";

export const confirmationLeases = new LeasedRows("confirmation", "invoice_id");
