import { setImmediate as nextTurn } from "node:timers/promises";
import type { SelectedCallback } from "./select-callbacks.ts";

/** A recorded callback, as the reader of callbacks takes it. */
export interface RecordedRequest {
  method: string;
  query: string;
  reference: string | null;
  contentType: string | null;
  contentEncoding: string | null;
  /** As it came over the wire. */
  body: Uint8Array;
}

/** The reader that `receive/` uses, passed in by `app/`; returns null when it finds no invoice id. */
export type ReadAgain = (request: RecordedRequest) => { invoiceIds: string[]; foundBy: string } | null;

export interface NewReading {
  callback: SelectedCallback;
  /** Those without a confirmation: not found before, or lost since. */
  invoiceIds: string[];
  foundBy: string;
}

/** Where an id was found whose confirmation was lost, if today's reader does not find it. */
const IN_THE_LOG = "the log";

/**
 * What recorded callbacks name that should have a confirmation and has none. One in each turn of the event
 * loop: many heavy ones in a row would hold up everything else that this process does (G12).
 */
export async function newReadingsOf(
  callbacks: readonly SelectedCallback[],
  readAgain: ReadAgain,
): Promise<NewReading[]> {
  const readings: NewReading[] = [];
  for (const callback of callbacks) {
    const reading = newReadingOf(callback, readAgain);
    if (reading !== null) readings.push(reading);
    await nextTurn();
  }
  return readings;
}

function newReadingOf(callback: SelectedCallback, readAgain: ReadAgain): NewReading | null {
  const header = (name: string) =>
    callback.headers.findLast(([key]) => key.toLowerCase() === name)?.[1] ?? null;
  const reading = readAgain({
    method: callback.method,
    query: callback.query,
    reference: callback.reference,
    contentType: header("content-type"),
    contentEncoding: header("content-encoding"),
    body: callback.body,
  });
  const opened = new Set(callback.openedIds);
  const invoiceIds = [...new Set([...callback.foundIds, ...(reading?.invoiceIds ?? [])])].filter(
    (id) => !opened.has(id),
  );
  return invoiceIds.length === 0 ? null : { callback, invoiceIds, foundBy: reading?.foundBy ?? IN_THE_LOG };
}
