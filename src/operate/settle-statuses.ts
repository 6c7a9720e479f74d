import type { Kysely } from "kysely";
import { plainStatuses } from "../confirm/invoices/status-class.ts";
import { openConfirmations } from "../confirm/queue/open.ts";
import type { Tables } from "../database/tables.ts";
import { waitingForStatus } from "./open-invoices.ts";

const AT_ONCE = 500;

/**
 * Opens again what waits, dead letters included, because of a status that a person has since put into
 * PAID_STATUSES or INVALID_STATUSES: it is asked about at once, and the answer is judged by today's settings.
 * @returns how many, and whether there may be more.
 */
export async function settleStatuses(
  db: Kysely<Tables>,
  sources: readonly { name: string }[],
  settings: { PAID_STATUSES: readonly string[]; INVALID_STATUSES: readonly string[] },
): Promise<{ opened: number; more: boolean }> {
  const keys = await waitingForStatus.execute(db, {
    sources: sources.map(({ name }) => name),
    statuses: plainStatuses([...settings.PAID_STATUSES, ...settings.INVALID_STATUSES]),
    most: AT_ONCE,
  });
  await openConfirmations(db, keys, { openedBy: "operator", priority: "known" });
  return { opened: keys.length, more: keys.length === AT_ONCE };
}
