import { type RawBuilder, sql } from "kysely";
import {
  type Columns,
  type Database,
  nullable,
  query,
  type RowOf,
  returned,
  type Slots,
  Statement,
  text,
  uuid,
} from "../../../platform/database/index.ts";
import type { ConfirmationKey, ConfirmationState, Verdict } from "./confirmation.ts";

type Keys = readonly ConfirmationKey[];

/** Which confirmations a statement is about. */
export const KEY: Columns<ConfirmationKey> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
};

/** A condition on rows of `confirmation`: one of those in `given`. */
export const isGiven = sql<boolean>`
  confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`;

/** Locked first, in the order in which everything locks confirmations. */
const updateGiven = (assignment: RawBuilder<unknown>) =>
  new Statement(
    {},
    ({ table }: Slots<Keys>) => sql`
      update confirmation set ${assignment}
      from (select confirmation.invoice_id, confirmation.source
        from ${table("given", KEY, (keys) => keys)} join confirmation on ${isGiven}
        order by confirmation.invoice_id, confirmation.source for update of confirmation) as given
      where ${isGiven}`,
  );

const release = updateGiven(sql`released_at = clock_timestamp()`);
const dismiss = updateGiven(sql`dismissed_at = clock_timestamp()`);

/** Releases invoices from quarantine: the next answer counts as if their collection were ours. */
export async function releaseConfirmations(db: Database, keys: Keys): Promise<void> {
  await release.execute(db, keys);
}

/** Takes these off the operators' lists until they are settled again. */
export async function dismissConfirmations(db: Database, keys: Keys): Promise<void> {
  await dismiss.execute(db, keys);
}

// Locked in invoice order as well.
const updatePriority = new Statement(
  {},
  ({ value }: Slots<{ source: string; invoiceIds: readonly string[] }>) => {
    const source = value((given) => given.source);
    return sql`
      update confirmation set priority = 'known', due_at = least(due_at, clock_timestamp())
      from (
        select invoice_id from confirmation
        where source = ${source} and priority = 'unknown' and state = 'due'
          and invoice_id = any(${value(({ invoiceIds }) => invoiceIds)}::uuid[])
        order by invoice_id for update) as found
      where confirmation.source = ${source} and confirmation.invoice_id = found.invoice_id`;
  },
);

/** Puts ids that proved to be the provider's own before unknown ones. @returns how many. */
export const promote = (db: Database, source: string, invoiceIds: readonly string[]): Promise<number> =>
  updatePriority.write(db, { source, invoiceIds });

/** How long a confirmation is kept whose id the provider does not know, so that no flood stays for ever. */
const KEPT = sql.lit("7 days");

/** Unknown invoices settled since this moment are kept. */
export const unknownKeptSince = sql`clock_timestamp() - ${KEPT}::interval`;

const selectKeptSince = new Statement(
  { since: returned.time },
  () => sql`select ${unknownKeptSince} as since`,
);

/** The same moment, for a statement whose index needs to know it. */
export async function readUnknownKeptSince(db: Database): Promise<Date> {
  const [row] = await selectKeptSince.execute(db);
  return row?.since ?? new Date(0);
}

// Each is looked up by itself, in the order in which everything locks confirmations: for a plain join
// Postgres might read all that are unknown.
const deletePage = new Statement(
  {},
  ({ table }: Slots<Keys>) => sql`
    delete from confirmation
    where verdict = 'unknown_invoice' and state = 'done' and settled_at < ${unknownKeptSince}
      and ctid = any(array(
        select known.ctid
        from (select given.* from ${table("given", KEY, (keys) => keys)}
          order by given.invoice_id, given.source) as given
        cross join lateral (select confirmation.ctid from confirmation where ${isGiven} for update) as known))`,
);

/**
 * Deletes those of the given confirmations that stayed unknown: the provider did not know the invoice, and no
 * request came for a week.
 * @returns how many.
 */
export const deleteUnknown = (db: Database, keys: Keys): Promise<number> => deletePage.write(db, keys);

const STATE = {
  invoiceId: returned.uuid,
  source: returned.text(),
  state: returned.text<ConfirmationState>(),
  verdict: nullable(returned.text<Verdict>()),
};

const selectStates = new Statement(
  STATE,
  ({ table }: Slots<readonly ConfirmationKey[]>) => sql`
    select confirmation.invoice_id as "invoiceId", confirmation.source, state, verdict
    from ${table("given", KEY, (keys) => keys)} join confirmation on ${isGiven}`,
);

/** The states of these confirmations; in no order, without those that do not exist. */
export async function readStates(
  db: Database,
  keys: readonly ConfirmationKey[],
): Promise<RowOf<typeof STATE>[]> {
  return keys.length === 0 ? [] : await selectStates.execute(db, keys);
}

const selectLastAnswer = query((db, { invoiceId, source }: ConfirmationKey) =>
  db
    .selectFrom("confirmation")
    .select("last_answer as lastAnswer")
    .where("invoice_id", "=", invoiceId)
    .where("source", "=", source),
);

/** The last answer about an invoice, where it could not be used. */
export const readUnusableAnswer = async (db: Database, key: ConfirmationKey): Promise<string | null> =>
  (await selectLastAnswer(db, key).executeTakeFirst())?.lastAnswer ?? null;

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
 * Counts replayed confirmations that have not been asked yet; those on the retry schedule have been.
 * @param sources only theirs are counted; all when null.
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

/** The confirmations that wait for a person: neither released nor dismissed since they were settled. */
export async function countUndeliveredConfirmations(
  db: Database,
): Promise<{ dead: number; quarantined: number }> {
  const [row] = await countUndelivered.execute(db);
  return row ?? { dead: 0, quarantined: 0 };
}
