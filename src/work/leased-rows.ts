import { type RawBuilder, sql } from "kysely";
import { interval, isTooFarAhead } from "../database/expressions.ts";
import type { Slots } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { newId } from "../kit/ids.ts";
import type { Lease } from "./lease.ts";

/** The tables whose rows are worked on under a lease: `state`, `lease_token`, `claimed_until`. */
type LeasedTable = "confirmation" | "outbox" | "sweep" | "certificate" | "replay";

const GIVEN_BACK = sql`state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null`;

/** The end of a lease that begins now. @param leaseMs its length */
export const leaseEnd = (leaseMs: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'`;

/** What a claim sets: one token for all rows of it. */
export const claimedFor = ({ value }: Slots<{ lease: Lease }>): RawBuilder<unknown> => sql`
  state = 'claimed', lease_token = ${value(() => newId())},
  claimed_until = ${leaseEnd(value(({ lease }) => lease.ms))}`;

/**
 * A condition: no process gave this lease by today's clock.
 * @param longest an interval: how long a lease may last
 */
export const isLostToClock = (longest: RawBuilder<unknown>) => isTooFarAhead(sql`claimed_until`, longest);

export const longestOf = ({ longestMs }: Lease): RawBuilder<unknown> => interval(longestMs);

const isOver = (longest: RawBuilder<unknown>) => sql`(claimed_until < now() or ${isLostToClock(longest)})`;

type HeldState = "claimed" | "running";

/** The most rows brought forward at once, so that no statement takes long. */
export const BRING_FORWARD_LIMIT = 10_000;

/**
 * The leases on the rows of one table (G7): each owner makes its own. One token covers a whole claim. A
 * locked row is being written at this moment: it needs neither more time nor a rescue, and waiting for it
 * could deadlock.
 */
export class LeasedRows {
  readonly #table: RawBuilder<unknown>;
  readonly #key: RawBuilder<unknown>;
  readonly #held: HeldState;

  /**
   * @param key the column that, with the source, names a row.
   * @param held the state of a row that is worked on.
   */
  constructor(table: LeasedTable, key: string, held: HeldState = "claimed") {
    this.#table = sql.table(table);
    this.#key = sql.ref(key);
    this.#held = held;
  }

  /** Work whose lease ran out goes back: its worker died or hangs. @returns how many rows. */
  async releaseExpired(db: Database, lease: Lease): Promise<number> {
    return await this.#update(db, this.#held, GIVEN_BACK, isOver(longestOf(lease)));
  }

  /**
   * A condition: a lease has run out, or work waits for too long.
   * @param longest an interval: how long a lease may last
   * @param waitsTooLong as for `bringForward`
   */
  needRescue(longest: RawBuilder<unknown>, waitsTooLong: RawBuilder<unknown>): RawBuilder<boolean> {
    return sql`(exists (${this.#select(this.#held, isOver(longest))}) or exists (${this.#select("due", waitsTooLong)}))`;
  }

  /**
   * Work that waits for too long is due at once.
   * @param waitsTooLong a condition: its `due_at` is too far ahead.
   * @returns how many rows; with `BRING_FORWARD_LIMIT` there may be more.
   */
  async bringForward(db: Database, waitsTooLong: RawBuilder<unknown>): Promise<number> {
    return await this.#update(db, "due", sql`due_at = clock_timestamp()`, waitsTooLong);
  }

  /** Gives back what was claimed and not begun, due at once; what is no longer held is left alone. */
  async giveBack(db: Database, held: readonly HeldRow[]): Promise<void> {
    if (held.length === 0) return;
    const ours = sql`(source, ${this.#key}, lease_token) in (select * from unnest(
      ${held.map(({ source }) => source)}::text[], ${held.map(({ id }) => id)}::uuid[],
      ${held.map(({ leaseToken }) => leaseToken)}::uuid[]))`;
    await this.#update(db, this.#held, GIVEN_BACK, ours);
  }

  /** Extends the leases that are still held; one that another worker took over stays theirs. */
  async extend(db: Database, held: readonly { leaseToken: string }[], { ms }: Lease): Promise<number> {
    const tokens = new Set(held.map(({ leaseToken }) => leaseToken));
    if (tokens.size === 0) return 0;
    const until = sql`claimed_until = ${leaseEnd(sql`${ms}`)}`;
    return await this.#update(db, this.#held, until, sql`lease_token = any(${[...tokens]}::uuid[])`);
  }

  /**
   * Extends one lease.
   * @returns false once it is another worker's or nobody's; a row that is merely locked is still held.
   */
  async keep(db: Database, held: { leaseToken: string }, lease: Lease): Promise<boolean> {
    if ((await this.extend(db, [held], lease)) > 0) return true;
    const { rows } = await sql`
      select from ${this.#table}
      where state = ${sql.lit(this.#held)} and lease_token = ${held.leaseToken}::uuid`.execute(db);
    return rows.length > 0;
  }

  async #update(
    db: Database,
    state: HeldState | "due",
    assignments: RawBuilder<unknown>,
    condition: RawBuilder<unknown>,
  ): Promise<number> {
    const which = sql`
      ${this.#select(state, condition)}
      ${state === "due" ? sql`limit ${BRING_FORWARD_LIMIT}` : sql``} for update skip locked`;
    const { numAffectedRows = 0n } = await sql`
      update ${this.#table} set ${assignments} where ctid = any (array(${which}))`.execute(db);
    return Number(numAffectedRows);
  }

  #select(state: HeldState | "due", condition: RawBuilder<unknown>): RawBuilder<unknown> {
    return sql`select ctid from ${this.#table} where state = ${sql.lit(state)} and ${condition}`;
  }
}

interface HeldRow {
  id: string;
  source: string;
  leaseToken: string;
}
