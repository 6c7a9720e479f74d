import type { Request } from "express";
import { HEAVY_BYTES, type IncomingCallback } from "./log/callback-log.ts";
import { mayBeCompressed } from "./reading/decode-body.ts";
import type { Unread } from "./reading/parse-json.ts";
import { plainName, UNRELATED_KEYS } from "./reading/places.ts";
import { glance, readToRecord } from "./reading/read-callback.ts";
import { EVERY_UUID, scanForUuids } from "./reading/scan-for-uuids.ts";
import type { ReadingThread } from "./reading-thread.ts";
import type { MaskedTexts } from "./request-texts.ts";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

/** What a callback names, as it is recorded. */
export type NamedIds = Pick<IncomingCallback, "invoiceIds" | "alsoNamed" | "foundBy" | "verdict"> & {
  unread: Unread[];
};

/**
 * What a callback names. One that is large, or compressed, whether it says so or not, is read in the thread,
 * where there is one.
 * @param isRefused it failed its checks: nothing is parsed, and nothing is asked.
 */
export async function namedIn(
  { method, headers }: Request,
  {
    address,
    query,
    reference,
    body,
  }: { address: string; query: string; reference: string | null; body: Buffer },
  { thread, isRefused }: { thread: ReadingThread | null; isRefused: boolean },
): Promise<NamedIds | "too_large"> {
  const contentType = headers["content-type"] ?? null;
  const contentEncoding = headers["content-encoding"] ?? null;
  const request = { method, query, reference, contentType, contentEncoding, body, isRefused };
  const isHeavy = body.length > HEAVY_BYTES || mayBeCompressed(body, contentEncoding);
  const read = isRefused ? glance : readToRecord;
  const reading =
    thread !== null && isHeavy
      ? await thread.read(request, address)
      : read(request, { inflatedBytes: BODY_LIMIT });
  if (reading.kind === "too_large") return "too_large";
  const { unread, alsoNamed = [] } = reading;
  const { invoiceIds, foundBy } = reading.kind === "ids" ? reading : { invoiceIds: [], foundBy: null };
  const verdict = isRefused ? "refused" : reading.kind === "ids" ? null : reading.kind;
  return { invoiceIds, foundBy, verdict, unread, alsoNamed };
}

const UNRELATED = new Set(UNRELATED_KEYS.map(plainName));
/** A UUID in a Content-Type is the boundary between its parts. */
const isUnrelated = (header: string) =>
  header.toLowerCase() === "content-type" || UNRELATED.has(plainName(header).replace(/^x/, ""));

/** The UUIDs that stand beside the body, where no secret is left, distinct. */
export function findIdsBeside({ query, reference, headers }: Omit<MaskedTexts, "path">): string[] {
  const values = headers.filter(([name, value]) => value.length >= 36 && !isUnrelated(name));
  const text = [query, reference ?? "", ...values.map(([, value]) => value)].join("\n");
  return scanForUuids(undefined, text, new Set(), [], EVERY_UUID);
}
