import type { Kysely } from "kysely";
import { readPayment } from "../confirm/invoices/read-invoices.ts";
import { readConfirmation } from "../confirm/queue/read-confirmations.ts";
import type { Tables } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { maskedEvidence } from "../kit/mask.ts";
import { readEvent } from "../publish/read-events.ts";
import { callbacksAbout } from "../receive/log/callbacks-about.ts";
import { listUndelivered, type UndeliveredItem, type UndeliveredList } from "./list-undelivered.ts";

type Found<Read extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Read>>;

/** One item with everything that helps to decide about it; personal data masked. */
export interface Evidence extends UndeliveredItem {
  confirmation: Found<typeof readConfirmation>;
  event: Found<typeof readEvent>;
  /** What the provider last confirmed. */
  invoice: Found<typeof readPayment>;
  /** The newest first. */
  callbacks: Found<typeof callbacksAbout>;
}

/**
 * @param id of an invoice or event
 * @param source by default all that know the id
 * @returns nothing when it is not in that list.
 */
export async function showUndelivered({
  db,
  list,
  id,
  source,
}: {
  db: Kysely<Tables>;
  list: UndeliveredList;
  id: string;
  source?: string | undefined;
}): Promise<Evidence[]> {
  return await inSnapshot(db, async (snapshot) => {
    const { items } = await listUndelivered({ db: snapshot, list, selection: { ids: [id], source } });
    const found: Evidence[] = [];
    for (const item of items) found.push(await withEvidence(snapshot, item));
    return found;
  });
}

async function withEvidence(db: Kysely<Tables>, item: UndeliveredItem): Promise<Evidence> {
  const { eventId, source } = item;
  const confirmation = await readConfirmation(db, item);
  const event = eventId === null ? null : await readEvent(db, { id: eventId, source });
  return {
    ...item,
    confirmation: confirmation && { ...confirmation, lastAnswer: masked(confirmation.lastAnswer) },
    event: event && { ...event, payload: maskedEvidence(event.payload) },
    invoice: await readPayment(db, item),
    callbacks: await callbacksAbout(db, item),
  };
}

const masked = (text: string | null): string | null => (text === null ? null : maskedEvidence(text));
