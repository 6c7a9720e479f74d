import { type Kysely, sql } from "kysely";
import { type Columns, tableOf, text, uuid } from "../../database/columns.ts";
import type { Tables } from "../../database/tables.ts";

/** What a list said of an invoice when it was asked about, as a digest. */
export interface NotedListing {
  invoiceId: string;
  digest: string | null;
}

const NOTED: Columns<NotedListing> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  digest: text(({ digest }) => digest),
};

/** Notes what each confirmation was opened for, in the transaction that opens them. */
export async function noteListed(
  db: Kysely<Tables>,
  source: string,
  listed: readonly NotedListing[],
): Promise<void> {
  if (listed.length === 0) return;
  await sql`
    update confirmation set listed_digest = noted.digest from ${tableOf("noted", NOTED, listed)}
    where confirmation.source = ${source} and confirmation.invoice_id = noted.invoice_id`.execute(db);
}
