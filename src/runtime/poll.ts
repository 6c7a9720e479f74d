import { sql } from "kysely";
import { ROUTE, type Route, type TestRoutes, testRoutesOf } from "../pipeline/publish/index.ts";
import { SWEPT_LIST, type SweptList } from "../pipeline/reconcile/index.ts";
import type { Source } from "../platform/config/index.ts";
import {
  type Database,
  requireWrites,
  returned,
  type Slots,
  Statement,
  takesCallbacks,
} from "../platform/database/index.ts";
import { JOBS, type Job, type JobName, SOURCE_JOBS, type SourceJob } from "./jobs.ts";
import { routesOf } from "./sources.ts";

const IS_DUE = Object.entries<Job>(JOBS).flatMap(([name, { isDue }]) => (isDue ? [{ name, isDue }] : []));
const SOURCES_DUE = Object.entries<SourceJob>(SOURCE_JOBS);

const COLUMNS = {
  takesCallbacks: returned.boolean,
  /** Whether a job is due, or the sources that it is due for. */
  ...Object.fromEntries(IS_DUE.map(({ name }) => [name, returned.boolean])),
  ...Object.fromEntries(SOURCES_DUE.map(([name]) => [name, returned.texts])),
};

interface Polling extends TestRoutes {
  sources: readonly string[];
  routes: readonly Route[];
  lists: readonly SweptList[];
}

const selectDue = new Statement(COLUMNS, (slots: Slots<Polling>) => {
  const { value, table } = slots;
  const polled = {
    slots,
    sources: sql`${value((given) => given.sources)}::text[]`,
    routes: table("route", ROUTE, (given) => given.routes),
    lists: table("list", SWEPT_LIST, (given) => given.lists),
  };
  return sql`select ${sql.join([
    sql`${takesCallbacks} as "takesCallbacks"`,
    ...IS_DUE.map(({ name, isDue }) => sql`${isDue(polled)} as ${sql.ref(name)}`),
    ...SOURCES_DUE.map(([name, { sourcesDue }]) => sql`array(${sourcesDue(polled)}) as ${sql.ref(name)}`),
  ])}`;
});

/** The result of one poll. */
interface Found {
  takesCallbacks: boolean;
  isDue: (name: JobName, source?: string) => boolean;
}

/**
 * Makes the single poll of a process for all its possible work: one statement, however many sources it serves. At
 * rest the process sends nothing else.
 */
export function pollForWork(db: Database, sources: readonly Source[]): () => Promise<Found> {
  const given: Polling = {
    ...testRoutesOf(sources),
    sources: sources.map(({ name }) => name),
    routes: routesOf(sources),
    lists: sources.flatMap(({ name, collectionIds }) =>
      collectionIds.map((collectionId) => ({ source: name, collectionId })),
    ),
  };
  return async () => {
    const [found] = await selectDue.execute(db, given);
    if (found === undefined) throw new Error("Postgres did not answer a poll for work");
    if (!found.takesCallbacks) await requireWrites(db).catch(() => undefined);
    const due: Readonly<Record<string, unknown>> = found;
    return {
      takesCallbacks: found.takesCallbacks,
      isDue(name, source = "") {
        const one = due[name];
        return Array.isArray(one) ? one.includes(source) : one === true;
      },
    };
  };
}
