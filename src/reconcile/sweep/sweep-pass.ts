import { backOffMs } from "../../kit/back-off.ts";
import { messageOf } from "../../kit/errors.ts";
import { faultOf } from "../../kit/fault.ts";
import type { Logger } from "../../kit/log.ts";
import { step } from "../../kit/step.ts";
import { LeaseLost } from "../../work/held-lease.ts";
import { SourcePaused } from "../list/list-pace.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type ClaimedSweep, claimSweep, nextSweepInMs } from "./claim-sweep.ts";
import { runSweep, type SweepDeps } from "./run-sweep.ts";
import { alarmsAtFault } from "./sweep-alarm.ts";
import { giveBackSweep, hurrySweeps, PAUSED_MS, SWEEP_BACK_OFF, scheduleSweeps } from "./sweep-row.ts";

export interface SweepPassOptions extends SweepDeps {
  source: ReconcileSource;
  log: Logger;
  /** From the start of one sweep of a collection to the start of the next, in ms. */
  intervalMs: number;
}

/** The shortest rest between two passes, in ms. */
const REST_MS = 100;

/**
 * Sweeps every collection of one source that is due, one after the other, in whichever process is first.
 * After a fault a sweep is continued where it was, with back-off.
 * @returns when the next one is due, in ms; null when there is nothing to sweep.
 */
export async function sweepPass(options: SweepPassOptions, stop: AbortSignal): Promise<number | null> {
  const { db, source, leaseMs, intervalMs } = options;
  const { name, collectionIds } = source;
  if (collectionIds.length === 0) return null;
  await scheduleSweeps(db, name, collectionIds, intervalMs);
  await hurrySweeps(db, name);
  for (let left = collectionIds.length; left > 0 && !stop.aborted; left -= 1) {
    const sweep = await claimSweep(db, name, collectionIds, leaseMs);
    if (sweep === null) break;
    step("sweep claimed");
    await sweepOnce(options, sweep, stop);
  }
  const inMs = await nextSweepInMs(db, name, collectionIds);
  return inMs === null ? null : Math.max(inMs, REST_MS);
}

async function sweepOnce(options: SweepPassOptions, sweep: ClaimedSweep, stop: AbortSignal): Promise<void> {
  const { db, source, alarms, log } = options;
  const about = { source: source.name, collection: sweep.collectionId };
  try {
    const { unproven, ...counts } = await runSweep(options, source, sweep, stop);
    log.info({ ...about, ...counts, unproven }, "read the provider's list of paid invoices");
  } catch (error) {
    if (error instanceof LeaseLost) return log.warn(about, "another worker took over a slow sweep");
    const text = messageOf(error);
    const isPaused = error instanceof SourcePaused;
    if (stop.aborted || isPaused) {
      const dueInMs = stop.aborted ? 0 : PAUSED_MS;
      await giveBackSweep(db, sweep, { dueInMs, isFault: false, error: stop.aborted ? null : text });
      return;
    }
    const faults = sweep.faults + 1;
    const dueInMs = backOffMs(faults, SWEEP_BACK_OFF);
    const raises = alarmsAtFault(sweep, faults, text);
    step("sweep to be given back");
    const isOurs = await giveBackSweep(db, sweep, { dueInMs, isFault: true, error: text, raises });
    step("sweep given back");
    log.warn(
      { ...about, faults, ...faultOf(error) },
      "a sweep was interrupted; it will continue where it was",
    );
    if (isOurs) alarms.tell(raises);
  }
}
