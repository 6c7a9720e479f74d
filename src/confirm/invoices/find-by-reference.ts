import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";

/** The ids of up to `most` invoices with this reference of the merchant's, the last confirmed first. */
export async function findByReference(
  db: Kysely<Tables>,
  reference: string,
  most: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("invoice")
    .select("id")
    .where("reference", "=", reference)
    .orderBy("confirmed_at", "desc")
    .limit(most)
    .execute();
  return [...new Set(rows.map(({ id }) => id))];
}
