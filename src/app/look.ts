import { sql } from "kysely";
import { alarmsAreQuiet } from "../alarms/alarms.ts";
import { alarmsAreToNotify } from "../alarms/alarms-to-notify.ts";
import { someErasedAreUnchecked } from "../confirm/erase.ts";
import { confirmationsAreDue, confirmationsNeedRescue } from "../confirm/queue/claim.ts";
import { type Columns, text, uuid } from "../database/columns.ts";
import { takesCallbacks } from "../database/recording-problem.ts";
import { type RowOf, returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import type { Source } from "../kit/sources.ts";
import {
  eventsAreDue,
  eventsNeedRescue,
  ROUTE,
  type TestRoutes,
  testEventsAreToMove,
  testRoutesOf,
} from "../publish/outbox.ts";
import { sourcesToCertify } from "../reconcile/certificate/certificate-row.ts";
import { listWorkNeedsRescue } from "../reconcile/leftovers.ts";
import { sourcesToSweep } from "../reconcile/sweep/sweep-row.ts";
import { replayLeasesAreLost, replaysWait } from "../replay/replay-rows.ts";
import { keysAreToProbe, pausesHaveEnded, upstreamsNeedRescue } from "../upstreams/upkeep.ts";
import { TOPIC } from "../upstreams/upstream-kind.ts";
import { clockIsBehind } from "../work/clock-watch.ts";
import type { Lease } from "../work/lease.ts";
import { routesOf } from "./upstreams.ts";

const FOUND = {
  /** Postgres' time. */
  now: returned.time,
  /** A process was seen at a moment that is still to come. */
  clockIsBehind: returned.boolean,
  takesCallbacks: returned.boolean,
  // What is due, by the loop that does it; or the sources that have some.
  confirm: returned.boolean,
  publish: returned.boolean,
  rescue: returned.boolean,
  chores: returned.boolean,
  replay: returned.boolean,
  tell: returned.boolean,
  sweep: returned.texts,
  certify: returned.texts,
};

/** What one look found due, over all sources. */
export type Found = RowOf<typeof FOUND>;

interface Looking extends TestRoutes {
  lease: Lease;
  intervalMs: number;
  sources: readonly string[];
  routes: readonly { source: string; invoiceType: "Live" | "Test" }[];
  lists: readonly List[];
}

interface List {
  source: string;
  collectionId: string;
}

const LIST: Columns<List> = {
  source: text(({ source }) => source),
  collection_id: uuid(({ collectionId }) => collectionId),
};

const selectDue = new Statement(FOUND, (slots: Slots<Looking>) => {
  const { value, table } = slots;
  const sources = sql`${value((given) => given.sources)}::text[]`;
  const ms = (read: (given: Looking) => number) => sql`(${value(read)}::float8 * interval '1 ms')`;
  const lease = ms((given) => given.lease.longestMs);
  const routes = table("route", ROUTE, (given) => given.routes);
  const lists = table("list", LIST, (given) => given.lists);
  return sql`
    select clock_timestamp() as now, ${clockIsBehind} as "clockIsBehind", ${takesCallbacks} as "takesCallbacks",
      ${confirmationsAreDue(sources)} or ${keysAreToProbe(sources)} as confirm,
      ${eventsAreDue(routes)} as publish,
      ${confirmationsNeedRescue(sources, lease)} or ${eventsNeedRescue(sources, lease, TOPIC.policy.backOff.capMs)}
        or ${listWorkNeedsRescue(
          lease,
          ms(({ intervalMs }) => intervalMs),
        )} or ${replayLeasesAreLost(lease)}
        or ${upstreamsNeedRescue} as rescue,
      ${testEventsAreToMove(slots)} or ${pausesHaveEnded} or ${someErasedAreUnchecked} or ${alarmsAreQuiet} as chores,
      ${replaysWait} as replay, ${alarmsAreToNotify(value((given) => given.lease.longestMs))} as tell,
      array(${sourcesToSweep(lists)}) as sweep,
      array(${sourcesToCertify(sources)}) as certify`;
});

/**
 * Makes the one look that a process has at all that it may have to do: one statement, however many sources it
 * serves, so that at rest it asks for nothing else. Each condition is that of the statement that does the work.
 */
export function lookForWork(
  db: Database,
  sources: readonly Source[],
  { lease, intervalMs }: { lease: Lease; intervalMs: number },
): () => Promise<Found> {
  const given: Looking = {
    ...testRoutesOf(sources),
    lease,
    intervalMs,
    sources: sources.map(({ name }) => name),
    routes: routesOf(sources),
    lists: sources.flatMap(({ name, collectionIds }) =>
      collectionIds.map((collectionId) => ({ source: name, collectionId })),
    ),
  };
  return async () => {
    const [found] = await selectDue.execute(db, given);
    if (found === undefined) throw new Error("Postgres did not answer a look for work");
    return found;
  };
}
