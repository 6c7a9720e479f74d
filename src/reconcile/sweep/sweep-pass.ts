import { backOffMs } from "../../kit/back-off.ts";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { step } from "../../kit/step.ts";
import { LeaseLost } from "../../workers/held-lease.ts";
import { SourcePaused } from "../list/list-pace.ts";
import type { Unproven } from "../list/list-reader.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { runSweep, type SweepDeps } from "./run-sweep.ts";
import {
  type ClaimedSweep,
  claimSweep,
  forgetSwept,
  giveBackSweep,
  hurrySweeps,
  nextSweepInMs,
  scheduleSweeps,
  sweepLeases,
} from "./sweep-row.ts";

export interface SweepPassOptions extends SweepDeps {
  sources: readonly ReconcileSource[];
  log: Logger;
  /** From the beginning of one sweep of a collection to the next, in ms. */
  intervalMs: number;
}

/** So many faults in a row are a person's matter. */
const ALARMING_FAULTS = 3;

const BACK_OFF = { firstMs: 1_000, capMs: 300_000 };

/** A paused source is looked at again after this long, in ms. */
const PAUSED_MS = 5_000;

/**
 * Sweeps every collection that is due, in whichever process comes first; sources side by side, the
 * collections of one source after each other. A fault ends no sweep: it is tried again where it stood, with
 * back-off.
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
  const alarm = { name: "sweep_failing", source: source.name, subject: sweep.collectionId } as const;
  try {
    const { unproven, ...counts } = await runSweep(options, source, sweep, stop);
    log.info({ ...about, ...counts, unproven }, "read the provider's list of paid invoices");
    await (unproven.length === 0
      ? alarms.clear(alarm)
      : alarms.raise({ ...alarm, detail: unstableText(unproven) }));
  } catch (error) {
    if (error instanceof LeaseLost) return log.warn(about, "another worker took a slow sweep over");
    if (stop.aborted) return await giveBackSweep(db, sweep, { dueInMs: 0, isFault: false, error: null });
    const text = messageOf(error);
    if (error instanceof SourcePaused)
      return await giveBackSweep(db, sweep, { dueInMs: PAUSED_MS, isFault: false, error: text });
    const faults = sweep.faults + 1;
    const dueInMs = backOffMs(faults, BACK_OFF);
    await giveBackSweep(db, sweep, { dueInMs, isFault: true, error: text });
    log.warn({ ...about, faults, error: text }, "a sweep broke off; it is tried again from where it stood");
    if (faults >= ALARMING_FAULTS)
      await alarms.raise({
        ...alarm,
        detail:
          `The provider's list of this collection cannot be read, ${faults} times in a row: ${text} What ` +
          "callbacks missed there waits. It is tried again by itself.",
      });
  }
}

function unstableText(unproven: readonly Unproven[]): string {
  const days = unproven.slice(0, 3).map(({ first, last, why }) => `${first} to ${last}: ${why}`);
  const more = unproven.length > 3 ? ` and ${unproven.length - 3} more` : "";
  return (
    "The provider's list of this collection contradicts itself, however it is read: " +
    `${days.join("; ")}${more}. What it showed was used; what it may hide waits. The other days were read. ` +
    "It is read again with the next sweep."
  );
}
