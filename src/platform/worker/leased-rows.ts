import { type RawBuilder, sql } from "kysely";
import { type Columns, type Database, type Slots, Statement, text, uuid } from "../database/index.ts";
import { newId } from "../values/index.ts";

/** How long leases last. The composition makes one, of LEASE_DURATION, and passes it to all that claim work. */
export interface Lease {
  /** From the claim and from each extension, in ms. */
  readonly ms: number;
  /** How often a lease is extended while the work goes on, in ms. */
  readonly extendEveryMs: number;
}

export const leaseOf = (durationMs: number): Lease => ({
  ms: durationMs,
  extendEveryMs: durationMs / 3,
});

/** Another process has the lease now, or the work was ended: its former holder stops. Work done so far stands. */
export class LeaseLost extends Error {}

interface HeldLease {
  lease: Lease;
  /**
   * Extends it.
   * @returns false only when another holder is certain; a row that was merely locked is no such case.
   * @throws the database's error: being away for a moment takes no lease away.
   */
  keep(): Promise<boolean>;
  /** Asks the work to end. */
  stop: AbortSignal;
}

/**
 * Does the work of one lease and extends the lease meanwhile.
 * @param work gets a signal that aborts with `stop`, and, with a LeaseLost as its reason, once the lease is
 *   known to be lost.
 * @returns what the work returns. @throws what the work throws; that LeaseLost, once the lease is lost.
 */
export async function whileHeld<Result>(
  { lease, keep, stop }: HeldLease,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // A single extension at a time, however slow the database is.
  const extendLater = () => {
    timer = setTimeout(async () => {
      const holds = await keep().catch(() => true);
      if (!holds) lost.abort(new LeaseLost("the lease is no longer held"));
      else if (!ended) extendLater();
    }, lease.extendEveryMs);
  };
  extendLater();
  try {
    return await work(AbortSignal.any([stop, lost.signal]));
  } catch (error) {
    // Calls that it cut off have errors of their own, which would count as faults.
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    ended = true;
    clearTimeout(timer);
  }
}

/** The tables whose rows are worked on under a lease: `state`, `lease_token`, `claimed_until`. */
type LeasedTable = "confirmation" | "outbox" | "sweep" | "certificate" | "replay";

const EXPIRED = sql`claimed_until < now()`;

const GIVEN_BACK = sql`state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null`;

/** The end of a lease that begins now. @param leaseMs its length */
export const leaseEnd = (leaseMs: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'`;

/** The values that a claim sets: a single token for all its rows. */
export const claimedFor = ({ value }: Slots<{ lease: Lease }>): RawBuilder<unknown> => sql`
  state = 'claimed', lease_token = ${value(() => newId())},
  claimed_until = ${leaseEnd(value(({ lease }) => lease.ms))}`;

type LeasedState = "claimed" | "running";

interface LeasedRow {
  id: string;
  source: string;
  leaseToken: string;
}

const HELD_ROW: Columns<LeasedRow> = {
  source: text(({ source }) => source),
  id: uuid(({ id }) => id),
  lease_token: uuid(({ leaseToken }) => leaseToken),
};

const updating = <Given>(
  rows: RawBuilder<unknown>,
  table: LeasedTable,
  held: (slots: Slots<Given>) => { set: RawBuilder<unknown>; which: RawBuilder<unknown> },
) =>
  new Statement({}, (slots: Slots<Given>) => {
    const { set, which } = held(slots);
    return sql`
      update ${sql.table(table)} set ${set}
      where ctid = any (array(${rows} and ${which} for update skip locked))`;
  });

interface Extension {
  tokens: readonly string[];
  ms: number;
}

/**
 * The leases on the rows of one table (no call out inside a transaction, G7): each owner makes its own. A single
 * token covers a whole claim. A locked row is being written at this moment: it needs neither more time nor the
 * reaper, and waiting for it could deadlock.
 */
export class LeasedRows {
  /** A condition: leases have run out. */
  readonly someExpired: RawBuilder<boolean>;
  /** Of rows that are worked on. */
  protected readonly rows: RawBuilder<unknown>;
  readonly #isHeld: Statement<string>;
  readonly #extension: Statement<Extension>;

  /** @param held the state of a row that is worked on. */
  constructor(table: LeasedTable, held: LeasedState = "claimed") {
    this.rows = sql`select ctid from ${sql.table(table)} where state = ${sql.lit(held)}`;
    this.someExpired = sql`exists (${this.rows} and ${EXPIRED})`;
    this.#isHeld = new Statement(
      {},
      ({ value }: Slots<string>) => sql`
        select from ${sql.table(table)}
        where state = ${sql.lit(held)} and lease_token = ${value((token) => token)}::uuid`,
    );
    this.#extension = updating(this.rows, table, ({ value }) => ({
      set: sql`claimed_until = ${leaseEnd(value(({ ms }) => ms))}`,
      which: sql`lease_token = any(${value(({ tokens }) => tokens)}::uuid[])`,
    }));
  }

  /** Extends the leases that are still held; one that another worker took over stays theirs. */
  async extend(db: Database, held: readonly { leaseToken: string }[], { ms }: Lease): Promise<number> {
    const tokens = [...new Set(held.map(({ leaseToken }) => leaseToken))];
    return tokens.length === 0 ? 0 : await this.#extension.write(db, { tokens, ms });
  }

  /**
   * Extends one lease.
   * @returns false once it has ended or is another worker's; a row that is merely locked is still held.
   */
  async keep(db: Database, held: { leaseToken: string }, lease: Lease): Promise<boolean> {
    if ((await this.extend(db, [held], lease)) > 0) return true;
    return (await this.#isHeld.execute(db, held.leaseToken)).length > 0;
  }
}

/** A table's rows that have a due time; released, they are due again. */
export class QueuedRows extends LeasedRows {
  readonly #expired: Statement;
  readonly #ours: Statement<readonly LeasedRow[]>;

  /** @param key the column that, with the source, names a row. */
  constructor(table: Exclude<LeasedTable, "replay">, key: string) {
    super(table);
    this.#expired = updating(this.rows, table, () => ({ set: GIVEN_BACK, which: EXPIRED }));
    this.#ours = updating(this.rows, table, ({ table }) => ({
      set: GIVEN_BACK,
      which: sql`(source, ${sql.ref(key)}, lease_token) in (
        select source, id, lease_token from ${table("held", HELD_ROW, (held) => held)})`,
    }));
  }

  /** Makes work due again whose lease ran out: its worker died or hangs. @returns how many rows. */
  releaseExpired(db: Database): Promise<number> {
    return this.#expired.write(db, undefined);
  }

  /** Releases claimed work that has not begun, due at once; rows that are no longer held are left alone. */
  async release(db: Database, held: readonly LeasedRow[]): Promise<void> {
    if (held.length > 0) await this.#ours.write(db, held);
  }
}
