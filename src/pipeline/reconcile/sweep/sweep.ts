import { faultOf } from "../../../platform/errors/index.ts";
import type { Logger } from "../../../platform/log/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { LeaseLost } from "../../../platform/worker/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { runSweep, type SweepDeps } from "./run-sweep.ts";
import {
  alarmsAtFault,
  type ClaimedSweep,
  claimDueSweep,
  PAUSED_MS,
  SWEEP_BACK_OFF,
  scheduleSweeps,
  sweeps,
} from "./sweep-row.ts";

interface SweepJobOptions extends SweepDeps {
  source: ReconcileSource;
  log: Logger;
  /** From the start of one sweep of a collection to the start of the next, in ms. */
  intervalMs: number;
}

/**
 * Sweeps every collection of one source that is due, one after the other, in the first process to claim it.
 * After a fault a sweep continues where it was, with back-off.
 * @returns null: a poll says when the next one is due (`sourcesToSweep`).
 */
export async function runSweepJob(options: SweepJobOptions, stop: AbortSignal): Promise<null> {
  const { db, lease, intervalMs } = options;
  const { name: source, collectionIds } = options.source;
  if (collectionIds.length === 0) return null;
  await scheduleSweeps(db, source, collectionIds, intervalMs);
  for (let left = collectionIds.length; left > 0 && !stop.aborted; left -= 1) {
    const sweep = await claimDueSweep(db, { source, collectionIds, lease });
    if (sweep === null) break;
    failpoint("sweep claimed");
    await sweepOnce(options, sweep, stop);
  }
  return null;
}

async function sweepOnce(options: SweepJobOptions, sweep: ClaimedSweep, stop: AbortSignal): Promise<void> {
  const { db, source, alarms, log } = options;
  const about = { source: source.name, collection: sweep.collectionId };
  try {
    const result = await runSweep(options, source, sweep, stop);
    log.info({ ...about, ...result }, "read the provider's list of paid invoices");
  } catch (error) {
    if (error instanceof LeaseLost) return log.warn(about, "another worker took over a slow sweep");
    const faults = await sweeps.releaseAfter(error, sweep, {
      ...{ db, alarms, source: source.name },
      stop,
      backOff: SWEEP_BACK_OFF,
      pausedMs: PAUSED_MS,
      raisesAfter: (faults, text) => alarmsAtFault(sweep, faults, text),
    });
    if (faults === null) return;
    const what = { ...about, faults, ...faultOf(error) };
    log.warn(what, "a sweep was interrupted; it will continue where it was");
  }
}
