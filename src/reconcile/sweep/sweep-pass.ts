import { backOffMs } from "../../kit/back-off.ts";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { step } from "../../kit/step.ts";
import { LeaseLost } from "../../workers/held-lease.ts";
import { SourcePaused } from "../list/list-pace.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type ClaimedSweep, claimSweep } from "./claim-sweep.ts";
import { runSweep, type SweepDeps } from "./run-sweep.ts";
import { alarmsAtFault } from "./sweep-alarm.ts";
import { giveBackSweep, hurrySweeps, nextSweepInMs, scheduleSweeps, sweepLeases } from "./sweep-row.ts";
import { forgetSwept } from "./swept-payments.ts";

export interface SweepPassOptions extends SweepDeps {
  sources: readonly ReconcileSource[];
  log: Logger;
  /** From the start of one sweep of a collection to the start of the next, in ms. */
  intervalMs: number;
}

const BACK_OFF = { firstMs: 1_000, capMs: 300_000 };

/** How long until a paused source is checked again, in ms. */
const PAUSED_MS = 5_000;

/**
 * Sweeps every collection that is due, in whichever process is first: sources in parallel, the collections of
 * one source one after the other. After a fault a sweep is continued where it was, with back-off.
 * @returns when the next one is due, in ms; null when there is nothing to sweep.
 */
export async function sweepPass(options: SweepPassOptions, stop: AbortSignal): Promise<number | null> {
  const { db, sources } = options;
  const readable = sources.filter((source) => source.collectionIds.length > 0);
  if (readable.length === 0) return null;
  await sweepLeases.releaseExpired(db);
  await forgetSwept(db);
  const nextInMs = await Promise.all(readable.map((source) => sweepSource(options, source, stop)));
  const soonest = nextInMs.filter((inMs) => inMs !== null).sort((a, b) => a - b)[0];
  return soonest === undefined ? null : Math.max(soonest, 100);
}

async function sweepSource(
  options: SweepPassOptions,
  source: ReconcileSource,
  stop: AbortSignal,
): Promise<number | null> {
  const { db, leaseMs, intervalMs } = options;
  await scheduleSweeps(db, source.name, source.collectionIds, intervalMs);
  await hurrySweeps(db, source.name);
  for (let left = source.collectionIds.length; left > 0 && !stop.aborted; left -= 1) {
    const sweep = await claimSweep(db, source.name, source.collectionIds, leaseMs);
    if (sweep === null) break;
    step("sweep claimed");
    await sweepOnce(options, source, sweep, stop);
  }
  return await nextSweepInMs(db, source.name);
}

async function sweepOnce(
  options: SweepPassOptions,
  source: ReconcileSource,
  sweep: ClaimedSweep,
  stop: AbortSignal,
): Promise<void> {
  const { db, alarms, log } = options;
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
    const dueInMs = backOffMs(faults, BACK_OFF);
    const raises = alarmsAtFault(sweep, faults, text);
    step("sweep to be given back");
    const isOurs = await giveBackSweep(db, sweep, { dueInMs, isFault: true, error: text, raises });
    step("sweep given back");
    log.warn({ ...about, faults, error: text }, "a sweep was interrupted; it will continue where it was");
    if (isOurs) alarms.tell(raises);
  }
}
