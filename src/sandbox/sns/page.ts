import { invalidParameter } from "./sns-error.ts";

const PAGE_SIZE = 100;

/**
 * One page of a list, 100 items as in SNS.
 * @param token what the page before gave as `next`
 * @throws SnsError `InvalidParameter` for a token that no page gave.
 */
export function pageOf<T>(
  items: readonly T[],
  token: string | undefined,
): { items: T[]; next: string | undefined } {
  const start = token === undefined || token === "" ? 0 : Number(Buffer.from(token, "base64").toString());
  if (!Number.isInteger(start) || start < 0) throw invalidParameter("NextToken");
  const end = start + PAGE_SIZE;
  return {
    items: items.slice(start, end),
    next: end < items.length ? Buffer.from(String(end)).toString("base64") : undefined,
  };
}
