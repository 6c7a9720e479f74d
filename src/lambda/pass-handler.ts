import { relayMigrations } from "../../migrations/relay.ts";
import type { Pass, Passes } from "../app/pass.ts";
import { createPasses } from "../app/passes.ts";
import { register } from "../app/upstreams.ts";
import { requireSchema } from "../database/migrate.ts";
import { backlogTeller } from "./backlog.ts";
import { drain } from "./drain.ts";
import { openRelay } from "./open-relay.ts";
import { perContainer } from "./per-container.ts";
import { WakeQueue } from "./wake-queue.ts";

/** The part of Lambda's context that is used. */
export interface Deadline {
  getRemainingTimeInMillis(): number;
}

/** Between the wish to stop and Lambda's own end, in ms: what is under way is finished or given back. */
const STOP_BEFORE_MS = 10_000;

const CONNECTIONS = 2;

/**
 * A function that runs passes of `serve`: on its schedule, and whenever a wake-up comes out of its queue.
 * What the event holds does not matter, since all that is due stands in the database. When it fails, Lambda
 * tries again.
 * @param options.lingerMs work that is due within this time, in ms, is waited for
 * @param options.tellsBacklog says first how long the oldest work waits
 */
export function passHandler(
  choose: (passes: Passes) => readonly Pass[],
  { lingerMs = 0, tellsBacklog = false } = {},
) {
  const open = perContainer(openPasses);
  return async (_event: unknown, context: Deadline): Promise<void> => {
    const { relay, passes, flush, tellBacklog } = await open();
    await relay.awaken();
    if (tellsBacklog) await tellBacklog();
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), context.getRemainingTimeInMillis() - STOP_BEFORE_MS);
    try {
      await drain(choose(passes), lingerMs, stop.signal);
    } finally {
      clearTimeout(timer);
      await flush();
    }
  };
}

async function openPasses() {
  const relay = await openRelay(CONNECTIONS, "work");
  const { db, settings, sources, alarms, log, metrics, tracing, queueUrls } = relay;
  try {
    await requireSchema(db, "relay", relayMigrations);
    await register(db, sources);
  } catch (error) {
    await relay.close();
    throw error;
  }
  const confirm = new WakeQueue({ queueUrl: queueUrls.confirm, log });
  const publish = new WakeQueue({ queueUrl: queueUrls.publish, log });
  const passes = createPasses({
    db,
    hot: db,
    settings,
    sources,
    alarms,
    log,
    metrics,
    tracer: tracing?.tracer ?? null,
    onEvents: () => publish.wake(),
    onConfirmations: () => confirm.wake(),
  });
  return {
    relay,
    passes,
    flush: () => Promise.all([confirm.flush(), publish.flush(), tracing?.flush()]),
    tellBacklog: backlogTeller(db),
  };
}
