import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { ConfirmationKey, Verdict } from "./confirmation.ts";

/** What came of a confirmation so far; null while nothing has. */
export async function verdictOf(
  db: Kysely<Tables>,
  { invoiceId, source }: ConfirmationKey,
): Promise<Verdict | null> {
  const row = await db
    .selectFrom("confirmation")
    .select("verdict")
    .where("invoice_id", "=", invoiceId)
    .where("source", "=", source)
    .executeTakeFirst();
  return row?.verdict ?? null;
}
