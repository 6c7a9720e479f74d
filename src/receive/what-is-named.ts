import type { Request } from "express";
import { HEAVY_BYTES, type IncomingCallback } from "../record/callback-log.ts";
import { glance } from "./reading/glance.ts";
import { readCallback } from "./reading/read-callback.ts";
import type { Unread } from "./reading/reading-limits.ts";
import type { ReadingThread } from "./reading-thread.ts";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

/** What a callback names, as it is recorded. */
export type Named = Pick<IncomingCallback, "invoiceIds" | "foundBy" | "verdict"> & { unread: Unread[] };

/**
 * What a callback that passed its checks names. One that is large, or compressed, is read in the thread,
 * where there is one.
 */
export async function namedIn(
  { method, headers }: Request,
  { query, reference, body }: { query: string; reference: string | null; body: Buffer },
  thread: ReadingThread | null,
): Promise<Named | "too_large"> {
  const contentType = headers["content-type"] ?? null;
  const contentEncoding = headers["content-encoding"] ?? null;
  const request = { method, query, reference, contentType, contentEncoding, body };
  const isHeavy = contentEncoding !== null || body.length > HEAVY_BYTES;
  const reading =
    thread !== null && isHeavy
      ? await thread.read(request)
      : readCallback(request, { inflatedBytes: BODY_LIMIT });
  if (reading.kind === "too_large") return "too_large";
  const { unread } = reading;
  return reading.kind === "ids"
    ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy, verdict: null, unread }
    : { invoiceIds: [], foundBy: null, verdict: reading.kind, unread };
}

/** What a callback that failed a check seems to name. It is neither inflated nor parsed; nothing is asked. */
export function namedInRefused(query: string, body: Buffer): Named {
  const invoiceIds = glance(query, body);
  const foundBy = invoiceIds.length === 0 ? null : "glance";
  return { invoiceIds, foundBy, verdict: "refused", unread: [] };
}
