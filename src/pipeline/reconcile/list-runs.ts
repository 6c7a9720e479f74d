import { type RawBuilder, sql } from "kysely";
import { type Alarm, type Alarms, alarmsGiven } from "../../platform/alarms/index.ts";
import {
  type Database,
  type ResultColumns,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../platform/database/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import { backOffMs, failpoint } from "../../platform/process/index.ts";
import { sourceIsInTrouble } from "../../platform/upstreams/index.ts";
import type { BookPeriod } from "../../platform/values/index.ts";
import { claimedFor, type Lease, LeaseLost, QueuedRows, whileHeld } from "../../platform/worker/index.ts";
import { SourcePaused } from "./list/list-pace.ts";

// Sweeps and certificates are runs over the provider's lists: due → claimed → done, and back to due after a
// fault, a pause or a dead worker. The next claim continues from the run's progress.

const CLAIMED = {
  id: returned.uuid,
  leaseToken: returned.uuid,
  windowFrom: returned.time,
  windowTo: returned.time,
  /** In a row. */
  faults: returned.integer,
};

/** A run whose lease this worker holds. */
export type ClaimedRun = Omit<RowOf<typeof CLAIMED>, "windowFrom" | "windowTo"> & { window: BookPeriod };

export interface Leased {
  id: string;
  leaseToken: string;
}

interface Release {
  /** How long until it is due again, in ms. */
  dueInMs: number;
  /** Counts one more fault in a row. */
  isFault: boolean;
  error: string | null;
  /** Alarms to raise with it (G13). */
  raises?: readonly Alarm[];
}

/** The columns that a finished run sets besides its result. */
export const finishedAt = sql`
  state = 'done', finished_at = clock_timestamp(), lease_token = null, claimed_until = null, last_error = null`;

/** A condition: the run is still this worker's. */
export const isStillLeased = ({ value }: Slots<Leased>): RawBuilder<unknown> => sql`
  id = ${value(({ id }) => id)} and lease_token = ${value(({ leaseToken }) => leaseToken)}
  and state = 'claimed'`;

/** The rows of one kind of run. */
export class ListRuns<More extends ResultColumns> {
  readonly leases: QueuedRows;
  readonly #table: RawBuilder<unknown>;
  readonly #more: More;
  readonly #returning: RawBuilder<unknown>;
  readonly #releasing: Statement<Leased & Release>;

  /** @param more what a claim returns besides what all have; `returning` selects it. */
  constructor(table: "sweep" | "certificate", more: More, returning: RawBuilder<unknown>) {
    this.leases = new QueuedRows(table, "id");
    this.#table = sql.table(table);
    this.#more = more;
    this.#returning = returning;
    this.#releasing = new Statement(
      {},
      (slots: Slots<Leased & Release>) => sql`
        with moved as (
          update ${this.#table} set state = 'due', lease_token = null, claimed_until = null,
            faults = faults + ${slots.value(({ isFault }) => (isFault ? 1 : 0))},
            last_error = coalesce(${slots.value(({ error }) => error)}, last_error),
            due_at = clock_timestamp() + ${slots.value(({ dueInMs }) => dueInMs)}::float8 * interval '1 ms'
          where ${isStillLeased(slots)}
          returning 1),
        ${alarmsGiven(slots, ({ raises = [] }) => ({ raises }))}
        select from moved`,
    );
  }

  /**
   * A claim of the run that `candidate` selects; its result is null without one.
   * @param sets what it changes besides.
   */
  claiming<Given>(
    candidate: (slots: Slots<Given>) => RawBuilder<unknown>,
    sets?: (slots: Slots<Given>) => RawBuilder<unknown>,
  ) {
    const statement = new Statement(
      { ...CLAIMED, ...this.#more },
      (slots: Slots<Given & { lease: Lease }>) => sql`
        update ${this.#table} set ${claimedFor(slots)}${sets === undefined ? sql`` : sql`, ${sets(slots)}`}
        where id = (${candidate(slots)})
        returning id, lease_token as "leaseToken", window_from as "windowFrom", window_to as "windowTo",
          faults, ${this.#returning}`,
    );
    return async (db: Database, given: Given & { lease: Lease }) => {
      const [row] = await statement.execute(db, given);
      if (row === undefined) return null;
      const { windowFrom, windowTo, ...run } = row as RowOf<typeof CLAIMED> & RowOf<More>;
      return { ...run, window: { from: windowFrom, to: windowTo } } as ClaimedRun & RowOf<More>;
    };
  }

  /** Works on a run while its lease is held. @param stop asks the work to end. */
  whileHeld<Result>(
    { db, lease, run, stop }: { db: Database; lease: Lease; run: ClaimedRun; stop: AbortSignal },
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return whileHeld({ lease, stop, keep: () => this.leases.keep(db, run, lease) }, work);
  }

  /** Makes a function that saves progress. @throws LeaseLost when another worker has the run: nothing is written. */
  saving<Given>(progress: (slots: Slots<Given>) => RawBuilder<unknown>) {
    const statement = new Statement(
      {},
      (slots: Slots<Given & Leased>) =>
        sql`update ${this.#table} set ${progress(slots)} where ${isStillLeased(slots)}`,
    );
    return async (db: Database, { id, leaseToken }: Leased, given: Given): Promise<void> => {
      if ((await statement.write(db, { ...given, id, leaseToken })) === 0) throw new LeaseLost(TAKEN);
    };
  }

  /**
   * Releases an unfinished run, to be continued from its saved progress.
   * @returns whether the lease was still held; if not, nothing was written.
   */
  async release(db: Database, { id, leaseToken }: Leased, how: Release): Promise<boolean> {
    return (await this.#releasing.execute(db, { id, leaseToken, ...how })).length > 0;
  }

  /**
   * Releases an unfinished automatic run: due at once after a stop, after `pausedMs` while the source is
   * paused, and with back-off after a fault. Repeated faults raise its alarm, unless the source's alarm
   * reports the same.
   * @returns how many faults there were in a row; null when this was not a fault.
   */
  async releaseAfter(error: unknown, run: ClaimedRun, retry: Retry): Promise<number | null> {
    const { db, alarms, source, stop, backOff, pausedMs, raisesAfter } = retry;
    const text = messageOf(error);
    const isFault = !stop.aborted && !(error instanceof SourcePaused);
    const faults = run.faults + 1;
    const raises = isFault && !(await sourceIsInTrouble(db, source)) ? raisesAfter(faults, text) : [];
    const dueInMs = isFault ? backOffMs(faults, backOff) : stop.aborted ? 0 : pausedMs;
    failpoint("run to be released");
    const isOurs = await this.release(db, run, {
      dueInMs,
      isFault,
      error: stop.aborted ? null : text,
      raises,
    });
    failpoint("run released");
    if (isOurs) alarms.notify(raises);
    return isFault ? faults : null;
  }
}

/** After this many faults in a row the alarm of a run is raised. */
export const ALARMING_FAULTS = 3;

interface Retry {
  db: Database;
  alarms: Alarms;
  source: string;
  stop: AbortSignal;
  backOff: { firstMs: number; capMs: number };
  pausedMs: number;
  raisesAfter(faults: number, error: string): Alarm[];
}

const TAKEN = "another process has it";

/** @throws LeaseLost when nothing was written, since another worker has the run. */
export function mustBeLeased<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new LeaseLost(TAKEN);
  return row;
}
