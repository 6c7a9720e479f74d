import { relayMigrations } from "../../migrations/relay.ts";
import type { Pass, Passes } from "../app/pass.ts";
import { createPasses } from "../app/passes.ts";
import { register, servedBy } from "../app/upstreams.ts";
import { requireSchema } from "../database/migrate.ts";
import { RelayProcess } from "../workers/relay-process.ts";
import { backlogTeller } from "./backlog.ts";
import { drain } from "./drain.ts";
import { type LambdaRelay, openRelay } from "./open-relay.ts";
import { perContainer } from "./per-container.ts";
import { WakeQueue } from "./wake-queue.ts";

/** The part of Lambda's context that this needs. */
export interface Deadline {
  getRemainingTimeInMillis(): number;
}

/** How long before Lambda's timeout work is finished or given back, in ms. */
const STOP_BEFORE_MS = 10_000;

const CONNECTIONS = 2;

/**
 * A function that runs passes of `serve`, in lines that do not wait for each other, on its schedule and for
 * each wake-up from its queue. The event's content does not matter, since the database knows what is due.
 * When it fails, Lambda retries.
 * @param options.lingerMs waits for work that is due within this time, in ms
 * @param options.isWorker logs the age of the oldest work first, and counts as a working process
 */
export function passHandler(
  choose: (passes: Passes) => readonly (readonly Pass[])[],
  { lingerMs = 0, isWorker = false } = {},
) {
  const openRelayOnce = perContainer(() => openRelay(CONNECTIONS, "work"));
  const openPassesOnce = perContainer(async () => openPasses(await openRelayOnce()));
  return async (_event: unknown, context: Deadline): Promise<void> => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), context.getRemainingTimeInMillis() - STOP_BEFORE_MS);
    const { databaseAway, awaken } = await openRelayOnce();
    try {
      await databaseAway.during(async () => {
        await awaken();
        const { passes, flush, showWork } = await openPassesOnce();
        if (isWorker) await showWork();
        await drain(choose(passes), lingerMs, stop.signal).finally(flush);
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

async function openPasses({ db, settings, sources, alarms, log, metrics, ...relay }: LambdaRelay) {
  await requireSchema(db, "relay", relayMigrations);
  await register(db, sources);
  const { queueUrls, lambda, tracing } = relay;
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
  const presence = new RelayProcess(db, { http: false, workers: true, serves: servedBy(sources), lambda });
  const tellBacklog = backlogTeller(db);
  return {
    passes,
    flush: async () => void (await Promise.all([confirm.flush(), publish.flush(), tracing?.flush()])),
    showWork: async () => {
      await presence.beat();
      await tellBacklog();
    },
  };
}
