import { type Kysely, type RawBuilder, sql } from "kysely";
import { inKeyOrder } from "../../database/in-key-order.ts";
import { nullable, returned } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { VaryingStatement } from "../../database/varying-statement.ts";
import { NIL_UUID } from "../../kit/ids.ts";
import { step } from "../../kit/step.ts";
import type { CallbackKey } from "./drop-callbacks.ts";

/** The most callbacks that one statement looks at. */
const AT_ONCE = 5_000;

interface Leaving {
  before: Date;
  after: CallbackKey;
  isKept: IsKept;
  drops: boolean;
}

/** A condition: callbacks about the invoice stay. Two expressions: its source and its id. */
export type IsKept = (source: RawBuilder<unknown>, invoiceId: RawBuilder<unknown>) => RawBuilder<unknown>;

const FIRST: CallbackKey = { at: "-infinity", id: NIL_UUID };
const SHAPE = { before: new Date(0), after: FIRST, isKept: () => sql`false` };

const DROPPING = sql`
  (select drop_kept_callbacks(array_agg(received_at), array_agg(id)) from leaving)`;

/** Looks at the next callbacks that were kept beside their partition; those that nobody needs leave. */
const walking = new VaryingStatement(
  {
    walked: returned.count,
    leaving: returned.count,
    dropped: nullable(returned.count),
    at: nullable(returned.text()),
    id: nullable(returned.uuid),
  },
  ({ before, after, isKept, drops }: Leaving) => sql`
    with walked as materialized (
      select received_at, id, source, invoice_ids from callback_default
      where received_at < ${before} and (received_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by received_at, id limit ${sql.lit(AT_ONCE)}),
    leaving as materialized (
      select received_at, id from walked
      where not coalesce((select bool_or(${isKept(sql`walked.source`, sql`named.id`)})
        from unnest(walked.invoice_ids) as named (id)), false))
    select (select count(*) from walked) as walked, (select count(*) from leaving) as leaving,
      ${drops ? DROPPING : sql`null::bigint`} as dropped,
      last.received_at::text as at, last.id
    from (select 1) as always left join (
      select received_at, id from walked order by received_at desc, id desc limit 1) as last on true`,
  [
    { ...SHAPE, drops: true },
    { ...SHAPE, drops: false },
  ],
);

/**
 * Goes through the callbacks that were kept beside their partition, a few thousand at a time, and drops those
 * that need not be kept any longer.
 * @returns how many leave.
 */
export async function dropStragglers(
  db: Kysely<Tables>,
  given: { before: Date; isKept: IsKept; dryRun: boolean },
): Promise<number> {
  const { before, isKept, dryRun } = given;
  let gone = 0;
  for (let after = FIRST; ; ) {
    if (!dryRun) step("stragglers to be deleted");
    const [row] = await inKeyOrder(db, (trx) =>
      walking.execute(trx, { before, after, isKept, drops: !dryRun }),
    );
    if (row === undefined) return gone;
    if ((row.dropped ?? 0) > 0) step("stragglers deleted");
    gone += row.leaving;
    if (row.walked < AT_ONCE || row.at === null || row.id === null) return gone;
    after = { at: row.at, id: row.id };
  }
}
