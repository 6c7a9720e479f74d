import type { SelectedCallback } from "./select-callbacks.ts";

/** A recorded callback, as the reader of callbacks wants it. */
export interface RecordedRequest {
  method: string;
  query: string;
  reference: string | null;
  contentType: string | null;
  contentEncoding: string | null;
  /** As it came over the wire. */
  body: Uint8Array;
}

/** The reader that receives callbacks, composed in by the doors: null when it finds no invoice id. */
export type ReadAgain = (request: RecordedRequest) => { invoiceIds: string[]; foundBy: string } | null;

export interface NewReading {
  callback: SelectedCallback;
  /** Those that were not found before. */
  invoiceIds: string[];
  foundBy: string;
}

/** What today's reading finds in a recorded callback beyond what was found before; null when nothing. Pure. */
export function newReadingOf(callback: SelectedCallback, readAgain: ReadAgain): NewReading | null {
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
  const known = new Set(callback.knownIds);
  const invoiceIds = reading?.invoiceIds.filter((id) => !known.has(id)) ?? [];
  return reading === null || invoiceIds.length === 0
    ? null
    : { callback, invoiceIds, foundBy: reading.foundBy };
}
