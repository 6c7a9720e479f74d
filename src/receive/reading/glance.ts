import { inflateBody } from "./inflate-body.ts";
import type { CallbackRequest, ReadingToRecord } from "./read-callback.ts";
import { uuidsIn } from "./uuid.ts";

/** A glance is as much a guess as a scan, so as few ids are kept for an invoice's timeline. */
const MOST_GLANCED = 5;

/**
 * Every UUID in the query and the body of a callback that failed a check: an invoice's timeline can show it,
 * unless the body was compressed, and erasing finds it in any case. Nothing is parsed, and nothing is asked.
 * @param limits.inflatedBytes a body that is larger once inflated is looked at as it came
 */
export function glance(
  { query, contentEncoding, body }: Pick<CallbackRequest, "query" | "contentEncoding" | "body">,
  limits: { inflatedBytes: number },
): ReadingToRecord {
  const inflated = inflateBody(body, contentEncoding, limits.inflatedBytes);
  const isAsItCame = inflated === body || inflated === "too_large";
  const { buffer, byteOffset, byteLength } = isAsItCame ? body : inflated;
  // Without its NULs, UTF-16 reads as ASCII does.
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1").replaceAll("\0", "");
  const named = [...new Set([...uuidsIn(`${query}\n${text}`)].map(({ uuid }) => uuid))];
  const kept = isAsItCame ? MOST_GLANCED : 0;
  const [invoiceIds, alsoNamed] = [named.slice(0, kept), named.slice(kept)];
  return invoiceIds.length === 0
    ? { kind: "unreadable", why: "it was only glanced at", unread: [], alsoNamed }
    : { kind: "ids", invoiceIds, foundBy: "glance", unread: [], alsoNamed };
}
