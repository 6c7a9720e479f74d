import { type RawBuilder, sql } from "kysely";
import type { Slots } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { newId } from "../kit/ids.ts";
import type { Lease } from "./lease.ts";

/** The tables whose rows are worked on under a lease: `state`, `lease_token`, `claimed_until`. */
type LeasedTable = "confirmation" | "outbox" | "sweep" | "certificate" | "replay";

const EXPIRED = sql`claimed_until < now()`;

const GIVEN_BACK = sql`state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null`;

/** The end of a lease that begins now. @param leaseMs its length */
export const leaseEnd = (leaseMs: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'`;

/** What a claim sets: one token for all rows of it. */
export const claimedFor = ({ value }: Slots<{ lease: Lease }>): RawBuilder<unknown> => sql`
  state = 'claimed', lease_token = ${value(() => newId())},
  claimed_until = ${leaseEnd(value(({ lease }) => lease.ms))}`;

type HeldState = "claimed" | "running";

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

  /** A condition: leases have run out. */
  get someExpired(): RawBuilder<boolean> {
    return sql`exists (${this.#select(EXPIRED)})`;
  }

  /** Work whose lease ran out goes back: its worker died or hangs. @returns how many rows. */
  async releaseExpired(db: Database): Promise<number> {
    return await this.#update(db, GIVEN_BACK, EXPIRED);
  }

  /** Gives back what was claimed and not begun, due at once; what is no longer held is left alone. */
  async giveBack(db: Database, held: readonly HeldRow[]): Promise<void> {
    if (held.length === 0) return;
    const ours = sql`(source, ${this.#key}, lease_token) in (select * from unnest(
      ${held.map(({ source }) => source)}::text[], ${held.map(({ id }) => id)}::uuid[],
      ${held.map(({ leaseToken }) => leaseToken)}::uuid[]))`;
    await this.#update(db, GIVEN_BACK, ours);
  }

  /** Extends the leases that are still held; one that another worker took over stays theirs. */
  async extend(db: Database, held: readonly { leaseToken: string }[], { ms }: Lease): Promise<number> {
    const tokens = new Set(held.map(({ leaseToken }) => leaseToken));
    if (tokens.size === 0) return 0;
    const until = sql`claimed_until = ${leaseEnd(sql`${ms}`)}`;
    return await this.#update(db, until, sql`lease_token = any(${[...tokens]}::uuid[])`);
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
    assignments: RawBuilder<unknown>,
    condition: RawBuilder<unknown>,
  ): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      update ${this.#table} set ${assignments}
      where ctid = any (array(${this.#select(condition)} for update skip locked))`.execute(db);
    return Number(numAffectedRows);
  }

  #select(condition: RawBuilder<unknown>): RawBuilder<unknown> {
    return sql`select ctid from ${this.#table} where state = ${sql.lit(this.#held)} and ${condition}`;
  }
}

interface HeldRow {
  id: string;
  source: string;
  leaseToken: string;
}
