import { sql } from "kysely";
import { alarmsAreQuiet } from "../alarms/alarms.ts";
import { alarmsAreToNotify } from "../alarms/alarms-to-notify.ts";
import { someErasedAreUnchecked } from "../confirm/erase.ts";
import { confirmationLeases, confirmationsAreDue } from "../confirm/queue/claim.ts";
import { requireWrites, takesCallbacks } from "../database/recording-problem.ts";
import {
  type Columns,
  type RowOf,
  returned,
  type Slots,
  Statement,
  text,
  uuid,
} from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import type { Source } from "../kit/settings.ts";
import type { Route } from "../publish/event-log.ts";
import {
  eventsAreDue,
  outboxLeases,
  ROUTE,
  type TestRoutes,
  testEventsAreToMove,
  testRoutesOf,
} from "../publish/outbox.ts";
import { sourcesToCertify } from "../reconcile/certificate/certificate-row.ts";
import { listWorkNeedsRescue } from "../reconcile/leftovers.ts";
import { sourcesToSweep } from "../reconcile/sweep/sweep-row.ts";
import { replaysWait } from "../replay/replay-rows.ts";
import { pausesHaveEnded } from "../upstreams/change.ts";
import { keysAreToProbe } from "../upstreams/upstream.ts";
import { routesOf } from "./upstreams.ts";

const FOUND = {
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
  sources: readonly string[];
  routes: readonly Route[];
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
  const routes = table("route", ROUTE, (given) => given.routes);
  const lists = table("list", LIST, (given) => given.lists);
  return sql`
    select ${takesCallbacks} as "takesCallbacks",
      ${confirmationsAreDue(sources)} or ${keysAreToProbe(sources)} as confirm,
      ${eventsAreDue(routes)} as publish,
      ${confirmationLeases.someExpired} or ${outboxLeases.someExpired} or ${listWorkNeedsRescue} as rescue,
      ${testEventsAreToMove(slots)} or ${pausesHaveEnded} or ${someErasedAreUnchecked} or ${alarmsAreQuiet} as chores,
      ${replaysWait} as replay, ${alarmsAreToNotify} as tell,
      array(${sourcesToSweep(lists)}) as sweep,
      array(${sourcesToCertify(sources)}) as certify`;
});

/**
 * Makes the one look that a process has at all that it may have to do: one statement, however many sources it
 * serves, so that at rest it asks for nothing else. Each condition is that of the statement that does the work.
 */
export function lookForWork(db: Database, sources: readonly Source[]): () => Promise<Found> {
  const given: Looking = {
    ...testRoutesOf(sources),
    sources: sources.map(({ name }) => name),
    routes: routesOf(sources),
    lists: sources.flatMap(({ name, collectionIds }) =>
      collectionIds.map((collectionId) => ({ source: name, collectionId })),
    ),
  };
  return async () => {
    const [found] = await selectDue.execute(db, given);
    if (found === undefined) throw new Error("Postgres did not answer a look for work");
    if (!found.takesCallbacks) await requireWrites(db).catch(() => undefined);
    return found;
  };
}
