import { type Kysely, sql } from "kysely";
import type { Tables } from "../../database/tables.ts";
import type { ConfirmationKey, Verdict } from "./confirmation.ts";

/** Where one confirmation stands, with an answer that could not be used; null when there is none. */
export async function readConfirmation(db: Kysely<Tables>, { invoiceId, source }: ConfirmationKey) {
  const row = await db
    .selectFrom("confirmation")
    .select([
      "state",
      "verdict",
      "opened_by as openedBy",
      "opened_at as openedAt",
      "requested_at as requestedAt",
      "requests",
      "attempt as attempts",
      "faults",
      "last_error as lastError",
      "last_answer as lastAnswer",
    ])
    .where("invoice_id", "=", invoiceId)
    .where("source", "=", source)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * How many replayed confirmations have not been asked yet. Those that wait on the ladder have been.
 * @param sources of these only; of all when null.
 */
export async function countUnaskedReplays(
  db: Kysely<Tables>,
  sources: readonly string[] | null,
): Promise<number> {
  let unasked = db
    .selectFrom("confirmation")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("priority", "=", "replay")
    .where("state", "in", ["due", "claimed"])
    .where("attempt", "=", 0);
  if (sources !== null) unasked = unasked.where(sql<boolean>`source = any(${sources}::text[])`);
  return (await unasked.executeTakeFirstOrThrow()).count;
}

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
