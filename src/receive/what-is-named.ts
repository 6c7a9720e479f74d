import type { Request } from "express";
import type { IncomingCallback } from "../record/callback-log.ts";
import { glance } from "./reading/glance.ts";
import { readCallback } from "./reading/read-callback.ts";
import type { Unread } from "./reading/reading-limits.ts";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

/** What a callback names, as it is recorded. */
export type Named = Pick<IncomingCallback, "invoiceIds" | "foundBy" | "verdict"> & { unread: Unread[] };

/** What a callback that passed its checks names. */
export function namedIn(
  { method, headers }: Request,
  query: string,
  reference: string | null,
  body: Buffer,
): Named | "too_large" {
  const contentType = headers["content-type"] ?? null;
  const contentEncoding = headers["content-encoding"] ?? null;
  const reading = readCallback(
    { method, query, reference, contentType, contentEncoding, body },
    { inflatedBytes: BODY_LIMIT },
  );
  if (reading.kind === "too_large") return "too_large";
  const { unread } = reading;
  return reading.kind === "ids"
    ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy, verdict: null, unread }
    : { invoiceIds: [], foundBy: null, verdict: reading.kind, unread };
}

/** What one that failed a check seems to name: neither inflated nor parsed, and never asked for. */
export function namedInRefused(query: string, body: Buffer): Named {
  const invoiceIds = glance(query, body);
  const foundBy = invoiceIds.length === 0 ? null : "glance";
  return { invoiceIds, foundBy, verdict: "refused", unread: [] };
}
