import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/tables.ts";
import { ERASED_IN_EVENT } from "../kit/personal-fields.ts";

/**
 * Logs events; returns source and id of the new ones: however many find the payment, the unique key lets one
 * through (G4). Whoever logs an event holds the lease of its confirmation, so it may look first: with "on
 * conflict" Postgres would log 48 bytes more for each insert.
 * @param events yields the columns in this order.
 */
export const insertEvents = (events: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest,
    erased_at)
  select * from (${events}) as new (id, invoice_id, source, type)
  where (select known.id from event as known
    where known.source = new.source and known.invoice_id = new.invoice_id and known.type = new.type) is null
  returning source, id`;

/**
 * Blanks the personal data of an invoice's events, in the one update of the log that its trigger permits; a
 * digest of what was published stays.
 * @param sources all that may hold one: the log is looked up by source first.
 * @returns `found`: how many events it has; `blanked`: how many changed.
 */
export async function eraseEvents(
  db: Database,
  invoiceId: string,
  sources: readonly string[],
): Promise<{ found: number; blanked: number }> {
  const events = await db
    .selectFrom("event")
    .select(["source", "id", "payload", "erased_at"])
    .where(sql<boolean>`source = any(${sources}::text[])`)
    .where("invoice_id", "=", invoiceId)
    .forUpdate()
    .execute();
  const legible = events.filter(({ erased_at }) => erased_at === null);
  for (const { source, id, payload } of legible) {
    await db
      .updateTable("event")
      .set({
        erased_at: sql`clock_timestamp()`,
        erased_digest: hash("sha256", payload),
        payload: erasedPayload(payload),
      })
      .where("source", "=", source)
      .where("id", "=", id)
      .execute();
  }
  return { found: events.length, blanked: legible.length };
}

/** The event without what may name a person. Its money is text, so parsing loses nothing of an amount. */
function erasedPayload(payload: string): string {
  const event = JSON.parse(payload) as { data: Record<string, unknown> };
  return JSON.stringify({ ...event, data: { ...event.data, ...ERASED_IN_EVENT } });
}
