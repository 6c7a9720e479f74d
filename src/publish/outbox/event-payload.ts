import { sql } from "kysely";

/**
 * The text of a field of an event, for a query over `event`; null where the event says null. It is the first
 * of that name: the relay wrote the payload with its own fields before the metadata, whose keys strangers
 * choose, and quotes inside its texts are escaped, so that no text can imitate a field. Whatever the payload
 * was turned into by hand, it fails no statement.
 */
export const inPayload = (field: string) =>
  sql`substring(event.payload from ${sql.lit(`"${field}":(?:null|"([^"]*)")`)})`;

/** The type of the invoice, `Live` or `Test`; the event has a type of its own, which is neither. */
export const invoiceTypeInPayload = sql`substring(event.payload from '"type":"(Live|Test)"')`;
