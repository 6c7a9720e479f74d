import { setTimeout as wait } from "node:timers/promises";
import { messageOf, RelayError } from "../../kit/errors.ts";
import { LeaseLost } from "../../workers/held-lease.ts";
import type { PaidWindow } from "../list/list-period.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { runSweep, type SweepDeps, type SweepProgress, type SweepResult } from "./run-sweep.ts";
import { backFillsUnderWay, type ClaimedSweep, claimBackFill, giveBackSweep } from "./sweep-row.ts";

export interface BackFillRequest {
  source: ReconcileSource;
  collectionId: string;
  /** Payments from, and before. */
  window: PaidWindow;
  /** Publish also what was paid before the source's first `serve`; otherwise that is recorded only. */
  publish: boolean;
  signal: AbortSignal;
  onProgress?: (progress: SweepProgress) => void;
}

export interface BackFill extends SweepResult {
  sweepId: string;
  /** It went on from where an earlier one broke off. */
  resumed: boolean;
  /** Others of this source that were under way when it began. */
  underWay: { collectionId: string; from: Date; to: Date }[];
}

const LOOK_AGAIN_MS = 500;

/**
 * Sweeps a period on request, with the automatic sweeps' own means: it opens confirmations, which the running
 * relay asks about, and queues again what was never accepted. Progress is kept in Postgres: after a crash or
 * a stop, the same request goes on where it was.
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
      throw new RelayError(
        "Another process took this over, because this one was too slow. It goes on there.",
        {
          next: "refuse",
        },
      );
    const isFault = !signal.aborted;
    await giveBackSweep(db, sweep, { dueInMs: 0, isFault, error: isFault ? messageOf(error) : null });
    if (signal.aborted)
      throw new RelayError("Stopped. What was read is kept: the same command goes on from there.", {
        next: "retry",
      });
    throw error;
  }
}

// What a crashed process held is free once its lease has run out.
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
        { next: "refuse" },
      );
    await wait(LOOK_AGAIN_MS);
  }
}
