import { setTimeout as wait } from "node:timers/promises";
import { messageOf, RelayError } from "../../kit/errors.ts";
import { LeaseLost } from "../../work/held-lease.ts";
import type { PaidWindow } from "../list/list-period.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type ClaimedSweep, claimBackFill } from "./claim-sweep.ts";
import { runSweep, type SweepDeps, type SweepProgress, type SweepResult } from "./run-sweep.ts";
import { backFillsUnderWay, giveBackSweep } from "./sweep-row.ts";

export interface BackFillRequest {
  source: ReconcileSource;
  collectionId: string;
  /** The payments to look for. */
  window: PaidWindow;
  /** Also publish what was paid before the source's first `serve`; otherwise it is only recorded. */
  publish: boolean;
  signal: AbortSignal;
  onProgress?: (progress: SweepProgress) => void;
}

export interface BackFill extends SweepResult {
  sweepId: string;
  /** It continued an interrupted run. */
  resumed: boolean;
  /** Others of this source that were running when it started. */
  underWay: { collectionId: string; from: Date; to: Date }[];
}

const LOOK_AGAIN_MS = 500;

/**
 * Sweeps a period on request, in the same way as automatic sweeps: it opens confirmations for the running
 * relay to ask about, and requeues events that were never accepted. Progress is saved in Postgres: after a
 * crash or a stop, the same request continues where it was.
 * @throws RelayError when another process runs the same request, or the list cannot be read.
 */
export async function backFill(deps: SweepDeps, request: BackFillRequest): Promise<BackFill> {
  const { db } = deps;
  const { source, signal, onProgress } = request;
  const underWay = await backFillsUnderWay(db, source.name);
  const sweep = await claimSoon(deps, request);
  const resumed = sweep.rest !== null;
  try {
    const result = await runSweep(deps, source, sweep, signal, onProgress);
    return { sweepId: sweep.id, resumed, underWay, ...result };
  } catch (error) {
    if (error instanceof LeaseLost)
      throw new RelayError("Another process took this over because this one was too slow, and continues it.");
    const isFault = !signal.aborted;
    await giveBackSweep(db, sweep, { dueInMs: 0, isFault, error: isFault ? messageOf(error) : null });
    if (signal.aborted)
      throw new RelayError("Stopped. What was read is kept: run the same command to continue.", {
        next: "retry",
      });
    throw error;
  }
}

// A lease held by a crashed process has to expire first.
async function claimSoon(deps: SweepDeps, request: BackFillRequest): Promise<ClaimedSweep> {
  const { db, leaseMs } = deps;
  const asked = { ...request, source: request.source.name };
  for (const until = performance.now() + leaseMs + 1_000; ; ) {
    const sweep = await claimBackFill(db, asked, leaseMs);
    if (sweep !== null) return sweep;
    if (performance.now() > until || request.signal.aborted)
      throw new RelayError(
        `Another process is reading the same period of collection ${request.collectionId}. Wait for ` +
          "it, or stop it first.",
      );
    await wait(LOOK_AGAIN_MS);
  }
}
