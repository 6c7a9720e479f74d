import { sql } from "kysely";
import {
  type Database,
  nullable,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";

import { sourceIsFlooded } from "../../../platform/upstreams/index.ts";
import { isGiven, KEY } from "./change-confirmations.ts";
import type { ConfirmationKey, ConfirmationState, OpenedBy, Verdict } from "./confirmation.ts";

const STATE = {
  invoiceId: returned.uuid,
  source: returned.text(),
  state: returned.text<ConfirmationState>(),
  verdict: nullable(returned.text<Verdict>()),
  openedBy: returned.text<OpenedBy>(),
  openedAt: returned.time,
  /** When it was last asked for. */
  requestedAt: returned.time,
};

const selectStates = new Statement(
  STATE,
  ({ table }: Slots<readonly ConfirmationKey[]>) => sql`
    select confirmation.invoice_id as "invoiceId", confirmation.source, state, verdict,
      opened_by as "openedBy", opened_at as "openedAt", requested_at as "requestedAt"
    from ${table("given", KEY, (keys) => keys)} join confirmation on ${isGiven}`,
);

/** The states of these confirmations, and since when; in no order, without those that do not exist. */
export async function readStates(
  db: Database,
  keys: readonly ConfirmationKey[],
): Promise<RowOf<typeof STATE>[]> {
  return keys.length === 0 ? [] : await selectStates.execute(db, keys);
}

/**
 * A condition on rows of `source`: a first request waits longer than it should. One that nothing works on, as
 * while no relay is connected, is not waited for after a minute, nor is a flood of made-up ids.
 */
export const confirmationsWait = sql<boolean>`
  exists (select from confirmation where confirmation.source = source.name and state = 'due'
    and least(attempt + confirmation.faults, 1) = 0
    and (priority = 'known' or (priority = 'unknown' and not ${sourceIsFlooded}))
    and due_at between clock_timestamp() - interval '1 minute' and clock_timestamp() - interval '1 second')`;

const selectConfirmation = query((db, { invoiceId, source }: ConfirmationKey) =>
  db
    .selectFrom("confirmation")
    .select(["state", "verdict", "opened_by as openedBy", "opened_at as openedAt"])
    .select(["requested_at as requestedAt", "requests", "attempt as attempts", "faults"])
    .select(["last_error as lastError", "last_answer as lastAnswer"])
    .where("invoice_id", "=", invoiceId)
    .where("source", "=", source),
);

/** The state of one confirmation, with an answer that could not be used; null when there is none. */
export const readConfirmation = async (db: Database, key: ConfirmationKey) =>
  (await selectConfirmation(db, key).executeTakeFirst()) ?? null;

const countUnasked = query((db, sources: readonly string[] | null) => {
  const unasked = db
    .selectFrom("confirmation")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("priority", "=", "replay")
    .where("state", "in", ["due", "claimed"])
    .where("attempt", "=", 0);
  return sources === null ? unasked : unasked.where(sql<boolean>`source = any(${sources}::text[])`);
});

/**
 * How many replayed confirmations have not been asked yet. Those that wait on the ladder have been.
 * @param sources of these only; of all when null.
 */
export const countUnaskedReplays = async (db: Database, sources: readonly string[] | null): Promise<number> =>
  (await countUnasked(db, sources).executeTakeFirstOrThrow()).count;

const countUndelivered = new Statement(
  { dead: returned.count, quarantined: returned.count },
  () => sql`
    select
      (select count(*) from confirmation
        where state = 'dead' and not coalesce(dismissed_at >= settled_at, false)) as dead,
      (select count(*) from confirmation
        where verdict = 'quarantined' and released_at is null
          and not coalesce(dismissed_at >= settled_at, false)) as quarantined`,
);

/** What waits for a person: neither released nor dismissed since it was settled. */
export async function countUndeliveredConfirmations(
  db: Database,
): Promise<{ dead: number; quarantined: number }> {
  const [row] = await countUndelivered.execute(db);
  return row ?? { dead: 0, quarantined: 0 };
}
