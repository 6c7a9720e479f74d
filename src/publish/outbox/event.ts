import type { Selectable } from "kysely";
import type { Tables } from "../../database/tables.ts";

/**
 * Where the sending of an event stands; an event without a row in the outbox is published, or was never sent.
 */
export type OutboxState = Selectable<Tables["outbox"]>["state"];

/** An event that is about to be logged. */
export interface NewEvent {
  /** UUIDv5 of invoice and type (G4). */
  id: string;
  type: string;
  /** `Live` or `Test`: with the source, which topic it goes to. */
  invoiceType: string;
  collectionName: string | null;
  /** Test events without a topic are held. */
  state: "due" | "held";
  /** Exactly as it is published. */
  payload: string;
  /** Parts of the invoice were left out for size. */
  truncated: boolean;
  /** Of the confirmation that it came from; null while tracing is off. */
  traceparent: string | null;
}

/** The line that an event waits in: with today's settings, each leads to one topic. */
export const lineOf = ({ source, invoiceType }: { source: string; invoiceType: string }): string =>
  `${source} ${invoiceType}`;

/** Which events go to which topic. */
export interface Route {
  source: string;
  invoiceType: "Live" | "Test";
  topicArn: string;
}
