import { type Kysely, sql } from "kysely";
import { boolean, type Columns, uuid } from "../../database/columns.ts";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { inKeyOrder } from "../../database/transactions.ts";

/** A listed payment in the sweep's window, as it was when the sweep first saw it. */
export interface Swept {
  invoiceId: string;
  /** It had no event. */
  missing: boolean;
  /** The sweep opened its confirmation. */
  opened: boolean;
  /** A callback had asked about it already. */
  called: boolean;
}

const SWEPT: Columns<Swept> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  missing: boolean(({ missing }) => missing),
  opened: boolean(({ opened }) => opened),
  called: boolean(({ called }) => called),
};

interface Noting {
  sweepId: string;
  swept: readonly Swept[];
}

const noting = new Statement(
  { id: returned.uuid },
  ({ value, table }: Slots<Noting>) => sql`
    insert into swept_payment (sweep_id, invoice_id, missing, opened, called)
    select ${value(({ sweepId }) => sweepId)}::uuid, given.*
    from ${table("given", SWEPT, ({ swept }) => swept)}
    on conflict do nothing returning invoice_id as id`,
);

/** Stores payments that the sweep sees for the first time. @returns their ids. */
export async function noteSwept(
  db: Kysely<Tables>,
  sweepId: string,
  swept: readonly Swept[],
): Promise<Set<string>> {
  const rows = await noting.execute(db, { sweepId, swept });
  return new Set(rows.map(({ id }) => id));
}

/** The next payments, in id order, that a sweep found without an event. */
export async function missingOf(
  db: Kysely<Tables>,
  sweepId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await inKeyOrder(db, (trx) =>
    trx
      .selectFrom("swept_payment")
      .select("invoice_id as id")
      .where("sweep_id", "=", sweepId)
      .where("missing", "=", true)
      .$if(after !== null, (query) => query.where("invoice_id", ">", after ?? ""))
      .orderBy("invoice_id")
      .limit(limit)
      .execute(),
  );
  return rows.map(({ id }) => id);
}

/**
 * How long finished sweeps are kept; the last one of each collection is kept anyway.
 */
const KEPT = sql`interval '35 days'`;

/** The most to delete at once. */
const MOST_FORGOTTEN = 1_000;

/** The most payments to delete at once: a sweep stores one for each that is listed, and passes come often. */
const MOST_PAYMENTS = 10_000;

/** Deletes old sweeps, and the payments that finished sweeps stored. */
export async function forgetSwept(db: Kysely<Tables>): Promise<void> {
  await sql`
    delete from sweep where id in (
      select id from sweep as old
      where state = 'done' and finished_at < clock_timestamp() - ${KEPT}
        and (kind <> 'automatic' or exists (
          select from sweep as later
          where later.source = old.source and later.collection_id = old.collection_id
            and later.kind = 'automatic' and later.state = 'done' and later.started_at > old.started_at))
      order by finished_at limit ${MOST_FORGOTTEN})`.execute(db);
  const forgetting = sql`
    delete from swept_payment where ctid = any(array(
      select stored.place from sweep cross join lateral (
        select ctid as place from swept_payment where sweep_id = sweep.id
        order by invoice_id limit ${MOST_PAYMENTS}) as stored
      where sweep.state = 'done' and sweep.finished_at < clock_timestamp() - interval '1 hour'
      limit ${MOST_PAYMENTS}))`;
  await inKeyOrder(db, (trx) => forgetting.execute(trx));
}
