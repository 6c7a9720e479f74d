import { hash } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Columns, text, uuid } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import { ERASED_IN_EVENT } from "../kit/personal-fields.ts";
import type { NewEvent } from "./event.ts";

/** An answer that may hold an event, and the topic that this process sends it to; null leaves it due. */
type Answered = { event: NewEvent | null; handTo: string | null };

export const EVENT: Columns<Answered> = {
  event_id: uuid(({ event }) => event?.id ?? null),
  event_type: text(({ event }) => event?.type ?? null),
  event_invoice_type: text(({ event }) => event?.invoiceType ?? null),
  event_collection_name: text(({ event }) => event?.collectionName ?? null),
  event_state: text(({ event }) => event?.state ?? null),
  event_payload: text(({ event }) => event?.payload ?? null),
  event_traceparent: text(({ event }) => event?.traceparent ?? null),
  hand_to: text(({ handTo }) => handTo),
};

/**
 * Logs the events in `held`, each with the digest of the answer that it was made from: however many find the
 * payment, the unique key lets one through (G4).
 * @param after a condition that makes Postgres write something else first.
 */
export const insertEvents = (after: RawBuilder<boolean>): RawBuilder<unknown> => sql`
  insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest,
    erased_at)
  select event_id, invoice_id, source, event_type, event_invoice_type, event_collection_name, event_payload,
    digest, erased_at
  from held
  where event_id is not null and ${after}
  order by invoice_id
  on conflict do nothing
  returning source, id`;

/**
 * Blanks the personal data of an invoice's events, in the one update of the log that its trigger permits; a
 * digest of what was published stays.
 * @param sources all that may hold one: the log is looked up by source first.
 * @returns `found`: how many events it has; `blanked`: how many changed.
 */
export async function eraseEvents(
  db: Kysely<Tables>,
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
