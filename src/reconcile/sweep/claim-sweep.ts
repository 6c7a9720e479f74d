import { type Kysely, type RawBuilder, sql } from "kysely";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/new-id.ts";
import { firstServedAt, isServedAndOpen } from "../../upstreams/first-served.ts";
import { leaseEnd } from "../../work/leased-rows.ts";
import type { ListPeriod, PaidWindow } from "../list/list-period.ts";
import type { Unproven } from "../list/list-reader.ts";

const CLAIMED = {
  id: returned.uuid,
  source: returned.text(),
  kind: returned.text<"automatic" | "back_fill">(),
  collectionId: returned.uuid,
  leaseToken: returned.uuid,
  /** When it was first claimed. */
  startedAt: returned.time,
  windowFrom: returned.time,
  windowTo: returned.time,
  unreadFrom: nullable(returned.text()),
  unreadTo: nullable(returned.text()),
  /** What could not be shown to be complete so far, including the last sweep's. */
  unproven: returned.json<Unproven[]>(),
  publish: returned.boolean,
  faults: returned.integer,
  /** An automatic sweep of its collection has ended before. */
  hasEarlier: returned.boolean,
  firstServedAt: nullable(returned.time),
};

type Row = RowOf<typeof CLAIMED>;

/** A sweep whose lease this worker holds. */
export interface ClaimedSweep extends Omit<Row, "windowFrom" | "windowTo" | "unreadFrom" | "unreadTo"> {
  window: PaidWindow;
  /** What is left to read; null when it has not started. */
  rest: ListPeriod | null;
}

/** How much windows overlap, for payments that the list shows late. */
const OVERLAP = sql`interval '1 day'`;

/** A column of the collection's last automatic sweep. */
const last = (what: RawBuilder<unknown>) => sql`
  select ${what} from sweep as done
  where done.source = sweep.source and done.collection_id = sweep.collection_id and done.kind = 'automatic'
    and done.state = 'done'
  order by started_at desc limit 1`;

const claiming = <Given>(candidate: (slots: Slots<Given>) => RawBuilder<unknown>) => {
  const served = firstServedAt(sql`sweep.source`);
  return new Statement(
    CLAIMED,
    (slots: Slots<Given & { leaseMs: number }>) => sql`
      update sweep set state = 'claimed', lease_token = ${slots.value(() => newId())},
        claimed_until = ${leaseEnd(slots.value(({ leaseMs }) => leaseMs))},
        started_at = coalesce(started_at, clock_timestamp()),
        window_to = coalesce(window_to, clock_timestamp()),
        window_from = coalesce(window_from, greatest(${served}, (${last(sql`window_to - ${OVERLAP}`)}))),
        unproven = case when started_at is null and kind = 'automatic'
          then coalesce((${last(sql`unproven`)}), unproven) else unproven end
      where id = (${candidate(slots)})
      returning id, source, kind, collection_id as "collectionId", lease_token as "leaseToken",
        started_at as "startedAt", window_from as "windowFrom", window_to as "windowTo",
        unread_from::text as "unreadFrom", unread_to::text as "unreadTo", unproven, publish, faults,
        coalesce((${last(sql`true`)}), false) as "hasEarlier", ${served} as "firstServedAt"`,
  );
};

function claimedOf([row]: readonly Row[]): ClaimedSweep | null {
  if (row === undefined) return null;
  const { windowFrom, windowTo, unreadFrom, unreadTo, ...sweep } = row;
  const rest = unreadFrom === null || unreadTo === null ? null : { first: unreadFrom, last: unreadTo };
  return { ...sweep, window: { from: windowFrom, to: windowTo }, rest };
}

interface Listed {
  source: string;
  collectionIds: readonly string[];
}

/** A condition: an automatic sweep that can be claimed once it is due. */
const isToCome = ({ value }: Slots<Listed>) => {
  const source = value((given) => given.source);
  return sql`
    source = ${source} and kind = 'automatic' and state = 'due'
    and collection_id = any(${value(({ collectionIds }) => collectionIds)}::uuid[])
    and ${isServedAndOpen(source)}`;
};

const claimingDue = claiming(
  (slots: Slots<Listed>) => sql`
    select id from sweep where ${isToCome(slots)} and due_at <= clock_timestamp()
    order by due_at limit 1 for update skip locked`,
);

const waiting = new Statement(
  { inMs: nullable(returned.float) },
  (slots: Slots<Listed>) => sql`
    select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as "inMs"
    from sweep where ${isToCome(slots)}`,
);

/**
 * When the source's next automatic sweep can be claimed, in ms; null when there is none, or the source is
 * paused, backing off or was never served.
 */
export async function nextSweepInMs(
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
): Promise<number | null> {
  const [row] = await waiting.execute(db, { source, collectionIds });
  return row?.inMs ?? null;
}

/** Claims a due automatic sweep, unless the source is paused, backing off or was never served. */
export const claimSweep = async (
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
  leaseMs: number,
): Promise<ClaimedSweep | null> =>
  claimedOf(await claimingDue.execute(db, { source, collectionIds, leaseMs }));

interface BackFill {
  source: string;
  collectionId: string;
  window: PaidWindow;
  publish: boolean;
}

const claimingBackFill = claiming(
  ({ value }: Slots<BackFill>) => sql`
    select id from sweep
    where source = ${value(({ source }) => source)} and kind = 'back_fill'
      and collection_id = ${value(({ collectionId }) => collectionId)}
      and publish = ${value(({ publish }) => publish)}
      and window_from = ${value(({ window }) => window.from)}
      and window_to = ${value(({ window }) => window.to)}
      and (state = 'due' or (state = 'claimed' and claimed_until < clock_timestamp()))
    for update skip locked`,
);

/**
 * Claims the requested back-fill: continues an unfinished one, or creates it.
 * @returns null while another process runs it.
 */
export async function claimBackFill(
  db: Kysely<Tables>,
  request: BackFill,
  leaseMs: number,
): Promise<ClaimedSweep | null> {
  const { source, collectionId, window, publish } = request;
  await db
    .insertInto("sweep")
    .values({
      id: newId(),
      source,
      collection_id: collectionId,
      kind: "back_fill",
      window_from: window.from,
      window_to: window.to,
      publish,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return claimedOf(await claimingBackFill.execute(db, { ...request, leaseMs }));
}
