import { setTimeout as wait } from "node:timers/promises";
import { faultOf, messageOf, RelayError } from "../../../platform/errors/index.ts";
import type { Logger } from "../../../platform/log/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import type { BookPeriod } from "../../../platform/values/index.ts";
import { LeaseLost } from "../../../platform/worker/index.ts";
import type { OnPages } from "../list/list-reader.ts";
import { takenOver } from "../list-runs.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { runSweep, type SweepDeps } from "./run-sweep.ts";
import {
  alarmsAtFault,
  backFillsUnderWay,
  type ClaimedSweep,
  claimBackFill,
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
    const { waiting: _, waitingInAll: __, ...result } = await runSweep(options, source, sweep, stop);
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

interface BackFillRequest {
  source: ReconcileSource;
  collectionId: string;
  window: BookPeriod;
  /** Also publish what was paid before the source's first `serve`; otherwise it is only recorded. */
  publish: boolean;
  signal: AbortSignal;
  onProgress?: OnPages;
}

/**
 * Sweeps a period on request, in the same way as automatic sweeps: opens confirmations for the running relay
 * to ask about, and requeues events that were never accepted. Its counts are saved: after a crash or a stop,
 * the same request reads the list again and counts on.
 * @returns `underWay`: other sweeps of this source when it started.
 * @throws RelayError when another process runs the same request, or the list cannot be read.
 */
export async function backFill(deps: SweepDeps, request: BackFillRequest) {
  const { db } = deps;
  const { source, signal, onProgress } = request;
  const underWay = await backFillsUnderWay(db, source.name);
  const sweep = await claimSoon(deps, request);
  try {
    const result = await runSweep(deps, source, sweep, signal, onProgress);
    return { underWay, ...result };
  } catch (error) {
    if (error instanceof LeaseLost) throw takenOver();
    const isFault = !signal.aborted;
    await sweeps.release(db, sweep, { dueInMs: 0, isFault, error: isFault ? messageOf(error) : null });
    if (isFault) throw error;
    throw new RelayError("Stopped. The payments read so far are kept: run the same command to continue.", {
      next: "retry",
    });
  }
}

const LOOK_AGAIN_MS = 500;

// A lease held by a crashed process has to expire first.
async function claimSoon({ db, lease }: SweepDeps, request: BackFillRequest): Promise<ClaimedSweep> {
  const wanted = { ...request, source: request.source.name };
  for (const until = performance.now() + lease.ms + 1_000; ; ) {
    const sweep = await claimBackFill(db, wanted, lease);
    if (sweep !== null) return sweep;
    if (performance.now() > until || request.signal.aborted)
      throw new RelayError(
        `Another process is reading the same period of collection ${request.collectionId}. Wait for ` +
          "it, or stop it first.",
      );
    await wait(LOOK_AGAIN_MS);
  }
}
