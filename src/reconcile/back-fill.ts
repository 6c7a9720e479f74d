import { setTimeout as wait } from "node:timers/promises";
import { CollectionApiError } from "../collection-api/index.ts";
import { messageOf, RelayError } from "../kit/errors.ts";
import { LeaseLost } from "./hold-lease.ts";
import type { PaidWindow } from "./list-period.ts";
import type { ReconcileSource } from "./reconcile-source.ts";
import { runSweep, type SweepDeps, type SweepProgress } from "./run-sweep.ts";
import { slowSource } from "./slow-source.ts";
import { type ClaimedSweep, claimBackFill, giveBackSweep, type SweepCounts } from "./sweep-store.ts";

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

export interface BackFill extends SweepCounts {
  source: string;
  collectionId: string;
  /** It went on from where an earlier one broke off. */
  resumed: boolean;
}

const TRIES = 5;
const LOOK_AGAIN_MS = 500;

/**
 * Sweeps a period on request, with the automatic sweeps' own means: it opens questions, which the running relay
 * confirms. Progress is kept in Postgres: after a crash or a stop, the same request goes on where it was.
 * @throws RelayError when another process runs the same request, or the list cannot be read.
 */
export async function backFill(deps: SweepDeps, request: BackFillRequest): Promise<BackFill> {
  const sweep = await claimSoon(deps, request);
  const resumed = sweep.rest !== null;
  try {
    const counts = await runWithTries(deps, request, sweep);
    return { source: request.source.name, collectionId: request.collectionId, resumed, ...counts };
  } catch (error) {
    if (error instanceof LeaseLost)
      throw new RelayError(
        "Another process took this over, because this one was too slow. It goes on there.",
        {
          next: "refuse",
        },
      );
    const isFault = !request.signal.aborted;
    await giveBackSweep(deps.db, sweep, { dueInMs: 0, isFault, error: isFault ? messageOf(error) : null });
    if (request.signal.aborted)
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
        `Another process is reading the same period of collection ${request.collectionId}. Wait for it, or stop it first.`,
        { next: "refuse" },
      );
    await wait(LOOK_AGAIN_MS);
  }
}

async function runWithTries(
  deps: SweepDeps,
  request: BackFillRequest,
  claimed: ClaimedSweep,
): Promise<SweepCounts> {
  const { source, signal, onProgress } = request;
  let sweep = claimed;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runSweep(deps, source, sweep, signal, (progress) => {
        sweep = { ...sweep, rest: progress.rest };
        onProgress?.(progress);
      });
    } catch (error) {
      if (
        !(error instanceof CollectionApiError) ||
        error.next !== "retry" ||
        attempt >= TRIES ||
        signal.aborted
      )
        throw error;
      await slowSource(deps.db, source.name, error);
      await wait(1_000 * attempt, undefined, { signal }).catch(() => undefined);
    }
  }
}
