import type { Given, OperationAt } from "../../../api/calls.ts";
import { post } from "../api/client.ts";
import type { Undelivered } from "../api/types.ts";

export type UndeliveredPath = "dead-letters" | "quarantine";
export type DecisionPath =
  | "/dead-letters/retry"
  | "/dead-letters/dismiss"
  | "/quarantine/release"
  | "/quarantine/dismiss";

/** So many are shown, the oldest first. */
export const SHOWN = 200;

export const keyOf = ({ source, eventId, invoiceId }: Undelivered): string =>
  `${source}/${eventId ?? invoiceId}`;

/** An item as a person calls it; references may repeat, ids do not. */
export const nameOf = ({ kind, reference, invoiceId, source }: Undelivered): string =>
  `the ${kind} of ${reference === null ? "" : `${reference}, `}invoice ${invoiceId}, source ${source}`;

/**
 * Decides about some, or about all that nobody dismissed.
 * @returns how many it was done to. @throws ApiProblem
 */
export async function decide(
  path: DecisionPath,
  items: readonly Undelivered[] | "all",
  reason: string | undefined,
): Promise<number> {
  const call = (choice: Given<OperationAt<"post", DecisionPath>>["body"]) =>
    post(path, { body: { ...choice, reason } });
  if (items === "all") return (await call({ filters: {} })).count;
  let count = 0;
  // An id may be known to several sources: each call says of which.
  for (const source of new Set(items.map((item) => item.source))) {
    const ids = items.filter((item) => item.source === source).map((item) => item.eventId ?? item.invoiceId);
    count += (await call({ ids, source })).count;
  }
  return count;
}
