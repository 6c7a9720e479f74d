import type { Selectable } from "kysely";
import type { Alarm } from "../../../platform/alarms/index.ts";
import { type Database, GroupCommit, type Tables } from "../../../platform/database/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { newId } from "../../../platform/values/index.ts";
import type { Handoff } from "../../../platform/worker/index.ts";
import { type Claimed, type ClaimedConfirmation, NEVER_ASKED } from "../../confirm/index.ts";
import {
  appendAndDispatch,
  appendAndOpen,
  type CallbackRow,
  distinctRequests,
  type IncomingCallback,
  isRecorded,
} from "./append-statements.ts";

/** The verdict of a callback that asks about no invoice. */
export type OwnVerdict = NonNullable<Selectable<Tables["callback"]>["verdict"]>;

export const OWN_VERDICTS = ["unreadable", "ping", "refused"] as const satisfies readonly OwnVerdict[];

export const isOwnVerdict = (verdict: string | null | undefined): verdict is OwnVerdict =>
  OWN_VERDICTS.some((own) => own === verdict);

export interface CallbackLogOptions {
  db: Database;
  /** Called after each commit that left confirmations for others to claim. */
  onConfirmations: () => void;
  /** Called after each commit that raised alarms which were not open. */
  onAlarms?: (alarms: readonly Alarm[]) => void;
  /** Called after each commit, and after each that failed. */
  onCommit?: () => void;
  onFailure?: (error: unknown) => void;
  /** To the confirmer in this process; null leaves all new confirmations due. */
  handoff?: Handoff<ClaimedConfirmation> | null;
  maxBatch?: number;
  maxInFlight?: number;
  maxWaiting?: number;
}

/** Of bodies, in bytes: at most so many in a commit, and so many that wait for one (G8). */
const BYTES = { of: ({ body }: CallbackRow) => body.length, perBatch: 1024 ** 2, waiting: 16 * 1024 ** 2 };

/**
 * The durable log (G1): `append` resolves once the callback and the confirmations it opens are committed
 * together. The id is made before the write, so that a commit of unknown outcome is repeated without a second
 * row.
 */
export class CallbackLog {
  readonly #commits: GroupCommit<CallbackRow>;
  /** The newest that could not be recorded, until a commit succeeds. */
  #failed: CallbackRow | null = null;

  constructor({ maxBatch = 256, maxInFlight = 2, maxWaiting = 10_000, ...options }: CallbackLogOptions) {
    const write = (rows: readonly CallbackRow[]) => this.#write(rows, options);
    const limits = { maxBatch, maxInFlight, maxWaiting, bytes: BYTES };
    this.#commits = new GroupCommit({ write, ...limits });
  }

  /**
   * @returns the callback's id.
   * @throws QueueFull, or the database's error: nothing was recorded, or it is unknown whether it was; the
   *   sender must try again.
   */
  async append(callback: IncomingCallback): Promise<string> {
    const now = Date.now();
    const id = newId(now);
    await this.#commits.add({ ...callback, id, receivedAt: new Date(now) });
    return id;
  }

  /**
   * Tries again to record the newest callback that failed, under the same id: shows whether recording works
   * again even without new callbacks. Its sender was asked to send it again; a second row causes no second
   * request.
   */
  async retryFailed(): Promise<void> {
    if (this.#failed !== null) await this.#commits.add(this.#failed).catch(() => undefined);
  }

  async #write(rows: readonly CallbackRow[], options: CallbackLogOptions): Promise<void> {
    try {
      await record(rows, options);
    } catch (error) {
      // Of several, the group commit finds out which.
      if (rows.length > 1 || !isRecorded(error)) {
        this.#failed = rows.at(-1) ?? null;
        options.onFailure?.(error);
        throw error;
      }
      options.onConfirmations();
    }
    this.#failed = null;
    options.onCommit?.();
  }
}

async function record(
  rows: readonly CallbackRow[],
  { db, onConfirmations, onAlarms = () => undefined, handoff = null }: CallbackLogOptions,
): Promise<void> {
  const asked = distinctRequests(rows);
  const alarms = rows.flatMap(({ raises }) => raises);
  // The few batches with alarms wait for a claim.
  const addressed = (alarms.length > 0 ? [] : asked).map((one) => ({
    ...one,
    isDispatched: handoff?.reserve(one.source) === true,
  }));
  const reserved = addressed.filter((one) => one.isDispatched).length;
  if (handoff === null || reserved === 0) {
    const raised = await appendAndOpen.execute(db, { rows, asked, alarms });
    if (asked.length > 0) failpoint("confirmations opened");
    onAlarms(raised.filter(({ isNew }) => isNew));
    if (asked.length > 0) onConfirmations();
    return;
  }
  const leaseToken = newId();
  const since = performance.now();
  let claimed: Claimed[] = [];
  try {
    const fresh = await appendAndDispatch.execute(db, {
      rows,
      asked: addressed,
      leaseToken,
      lease: handoff.lease,
    });
    failpoint("confirmations dispatched");
    const claimedAt = performance.now();
    claimed = fresh.map((one) => ({ ...NEVER_ASKED, ...one, leaseToken, claimedAt }));
  } finally {
    handoff.take(claimed, reserved, since);
  }
  if (claimed.length < asked.length) onConfirmations();
}
