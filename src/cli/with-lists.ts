import type { Alarms } from "../alarms/alarms.ts";
import type { Database } from "../database/connect.ts";
import { RelayError } from "../kit/errors.ts";
import { SERVE_REQUIRES } from "../kit/settings.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import { type Lease, leaseOf } from "../work/lease.ts";
import type { CommandContext } from "./command-context.ts";

/** What is needed to read the provider's lists. */
export interface ListWork {
  db: Database;
  alarms: Alarms;
  lease: Lease;
  sources: ReconcileSource[];
  /** Aborted by SIGTERM and SIGINT. */
  signal: AbortSignal;
  /** Wakes the relay's workers. */
  wake(work: "confirm" | "publish"): Promise<void>;
}

/** Runs the work with the configured sources, a provider for each, and the database. */
export async function withLists<Result>(
  context: CommandContext,
  work: (given: ListWork) => Promise<Result>,
): Promise<Result> {
  const { sourcesOf } = await import("../kit/sources.ts");
  const { withReconcileSources } = await import("../app/providers.ts");
  const { Alarms } = await import("../alarms/alarms.ts");
  const { createMetrics } = await import("../kit/metrics.ts");
  const { notifyWorkers } = await import("../work/wake-up.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const stop = context.listenForStop();
  try {
    const log = await context.localLog();
    return await withReconcileSources(sourcesOf(settings), settings, (sources) =>
      context.withDatabase((db) =>
        work({
          db,
          alarms: new Alarms({ db, log, metrics: createMetrics() }),
          lease: leaseOf(settings.LEASE_DURATION),
          sources,
          signal: stop.signal,
          wake: (work) => notifyWorkers(db, work),
        }),
      ),
    );
  } catch (error) {
    if (stop.signal.aborted && !(error instanceof RelayError))
      throw new RelayError(
        "Stopped before the end. What was read is kept: run the same command to continue.",
        { next: "retry", cause: error },
      );
    throw error;
  } finally {
    await stop.finish(Promise.resolve(), 0);
  }
}
