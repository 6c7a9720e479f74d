import { RelayError } from "../kit/errors.ts";
import type { ReplayKind } from "../replay/replay.ts";

/** What a caller may have under way at once: answers read from the database, exports, streams of events. */
type Share = "reading" | "export" | "stream";

/**
 * The limits of each caller, in one process. Readings and exports together leave others a connection of the
 * shared pool; further readings wait, since one page asks for several.
 */
const MOST: Record<Share, { atOnce: number; waiting: number }> = {
  reading: { atOnce: 2, waiting: 40 },
  export: { atOnce: 1, waiting: 0 },
  stream: { atOnce: 20, waiting: 0 },
};

export class TooManyAtOnce extends Error {
  constructor(name: string, share: Share) {
    super(`Too many ${share}s of ${name} are under way. Try again when they have been answered.`);
  }
}

interface UnderWay {
  count: number;
  waiting: (() => void)[];
}

/** Keeps what one caller asks for, by the name of its token, from holding up everybody else (G8, G11). */
export class CallerLimits {
  readonly #underWay = new Map<string, UnderWay>();

  /**
   * Does the work when it is this caller's turn.
   * @throws TooManyAtOnce when too much of its work waits already; whatever the work throws.
   */
  async run<Value>(name: string, share: Share, work: () => Promise<Value>): Promise<Value> {
    const key = `${share} ${name}`;
    const own = this.#underWay.get(key) ?? { count: 0, waiting: [] };
    const { atOnce, waiting } = MOST[share];
    if (own.count < atOnce) own.count += 1;
    else if (own.waiting.length >= waiting) throw new TooManyAtOnce(name, share);
    else await new Promise<void>((resolve) => own.waiting.push(resolve));
    this.#underWay.set(key, own);
    try {
      return await work();
    } finally {
      const next = own.waiting.shift();
      // The next one takes over the place of the one that ends.
      if (next !== undefined) next();
      else own.count -= 1;
      if (own.count === 0) this.#underWay.delete(key);
    }
  }
}

/** How long one may read, in ms; longer ones are for the command line. */
const TIME_LIMIT_MS = 600_000;

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
      return await plan(AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), left, this.#stopping]));
    } finally {
      this.#running.delete(kind);
    }
  }
}
