import { RelayError } from "../kit/errors.ts";
import type { ReplayKind } from "../replay/replay.ts";

/** How long one may read, in ms; longer ones are for the command line. */
const MOST_MS = 600_000;

/**
 * The dry runs of this process: one of callbacks may read the whole log. One of a kind at a time; it ends
 * after ten minutes, when its caller hangs up and when the process stops.
 */
export class DryRuns {
  readonly #stopping: AbortSignal;
  readonly #running = new Set<ReplayKind>();

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  /**
   * @param left is aborted when the caller has hung up.
   * @throws RelayError while another one of this kind runs.
   */
  async run<Plan>(
    kind: ReplayKind,
    left: AbortSignal,
    plan: (signal: AbortSignal) => Promise<Plan>,
  ): Promise<Plan> {
    if (this.#running.has(kind))
      throw new RelayError(
        `Another dry run of ${kind} is still reading. Try again when it is done, in ten minutes at most.`,
      );
    this.#running.add(kind);
    try {
      return await plan(AbortSignal.any([AbortSignal.timeout(MOST_MS), left, this.#stopping]));
    } finally {
      this.#running.delete(kind);
    }
  }
}
