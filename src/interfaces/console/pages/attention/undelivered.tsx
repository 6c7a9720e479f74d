import {
  DEAD_DISMISSED,
  DEAD_LETTERS,
  QUARANTINE,
  QUARANTINE_DISMISSED,
  RELEASED,
  RETRIED,
} from "../../../../operations/views/undelivered.ts";
import { get, type Undelivered } from "../api/client.ts";
import type { ListDefinition, RowsAct } from "../parts/list.tsx";
import { fieldsOf, perform } from "../parts/operations.ts";

const idOf = ({ eventId, invoiceId }: Undelivered) => eventId ?? invoiceId;

/** Decides about some items. */
const decision = (operation: string, title: string, view: typeof RETRIED): RowsAct<Undelivered> => ({
  ...{ operation, title, isMain: title !== "Dismiss" },
  async run(items, reason) {
    let count = 0;
    // An id may be known to several sources: each call says of which.
    for (const [source, own] of Map.groupBy(items, (item) => item.source))
      count += (await perform<{ count: number }>(operation, { ids: own.map(idOf), source, reason })).count;
    return view.says?.({ dryRun: false, count, items: [] }) ?? "";
  },
});

/** Of lists without pages: what is decided about makes way for the rest. */
export const LIST_LIMIT = 200;

export const DEAD: ListDefinition<Undelivered> = {
  of: DEAD_LETTERS,
  filters: fieldsOf("listDead", ["kind", "collection", "source"]),
  read: (given, _, signal) => get("/dead-letters", { query: { ...given, limit: LIST_LIMIT } }, signal),
  acts: [decision("retryDead", "Retry", RETRIED), decision("dismissDead", "Dismiss", DEAD_DISMISSED)],
};

export const HELD: ListDefinition<Undelivered> = {
  of: QUARANTINE,
  filters: fieldsOf("listQuarantine", ["collection", "source"]),
  read: (given, _, signal) => get("/quarantine", { query: { ...given, limit: LIST_LIMIT } }, signal),
  acts: [
    decision("releaseQuarantine", "Release", RELEASED),
    decision("dismissQuarantine", "Dismiss", QUARANTINE_DISMISSED),
  ],
};
