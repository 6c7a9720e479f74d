import { type Kysely, type RawBuilder, sql } from "kysely";
import { leaseEnd } from "../database/leased-rows.ts";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import { type Class, IN_A_FLOOD, IN_ORDER, nameOf, takingOldest } from "./classes.ts";
import type { ConfirmationKey, Priority, Verdict } from "./confirmation.ts";
import { RESERVED_SHARE, Share } from "./fair-share.ts";
import { takingByTurns } from "./sender-turns.ts";

/** A confirmation that this worker holds the lease of. */
export interface ClaimedConfirmation extends ConfirmationKey {
  leaseToken: string;
  priority: Priority;
  requests: number;
  attempt: number;
  faults: number;
  verdict: Verdict | null;
  /** An operator let this invoice out of quarantine. */
  released: boolean;
  /** Its personal data was erased here, and must not come back. */
  erased: boolean;
  /** The provider's answer is to be recorded and not published. */
  recordOnly: boolean;
  /** Of the callbacks that asked for it (traceparents.ts); null while tracing is off. */
  traceparents: string | null;
  /** Postgres' clock at the claim, before the GET begins. */
  askedAt: Date;
}

/** A confirmation that was never asked. */
export const NEVER_ASKED = {
  priority: "unknown",
  requests: 1,
  attempt: 0,
  faults: 0,
  verdict: null,
  released: false,
  erased: false,
  recordOnly: false,
  traceparents: null,
} as const satisfies Partial<ClaimedConfirmation>;

export interface Claiming {
  source: string;
  /** The most confirmations in all. */
  total: number;
  /** The most of them about unknown ids. */
  unknown: number;
  /** The most of them replayed. */
  replays: number;
  leaseMs: number;
}

/** The columns of a claim; those of a confirmation are null where nothing was claimed. */
export const CLAIMED = {
  open: returned.boolean,
  invoiceId: nullable(returned.uuid),
  source: nullable(returned.text()),
  leaseToken: nullable(returned.uuid),
  priority: nullable(returned.text<Priority>()),
  requests: nullable(returned.integer),
  attempt: nullable(returned.integer),
  faults: nullable(returned.integer),
  verdict: nullable(returned.text<Verdict>()),
  released: nullable(returned.boolean),
  erased: nullable(returned.boolean),
  recordOnly: nullable(returned.boolean),
  traceparents: nullable(returned.text()),
  askedAt: nullable(returned.time),
} as const;

/** What a claim depends on besides the confirmations, and what it reads along. */
export interface ClaimConditions<Given> {
  /** Yields the source's name, or no row when nothing may be taken. */
  admitting(slots: Slots<Given>): RawBuilder<unknown>;
  /** What is written in the same statement, from the rows of `claimed`. */
  thereupon?(slots: Slots<Given>): RawBuilder<unknown>;
  /** Joins to the rows of `claimed`, and the list of what they add. */
  joining: RawBuilder<unknown>;
  adding: RawBuilder<unknown>;
}

/**
 * Claims due confirmations of one source in one statement. It finds the taken rows again by their ctid: a
 * join would be planned as if a tenth of all that wait were taken.
 */
export class ConfirmationClaim<Given extends Claiming, Result extends typeof CLAIMED> {
  readonly #statement: Statement<Given, Result>;

  /** @param options.flooded senders take turns with their unknown ids. */
  constructor(returns: Result, conditions: ClaimConditions<Given>, { flooded = false } = {}) {
    const classes = flooded ? IN_A_FLOOD : IN_ORDER;
    this.#statement = new Statement(returns, (slots: Slots<Given>) => claiming(slots, conditions, classes));
  }

  /**
   * @returns a row for each confirmation; if there are none, a single row without an invoice id. Each says
   *   whether the source is open.
   */
  from(db: Kysely<Tables>, given: Given) {
    return this.#statement.execute(db, given);
  }
}

function claiming<Given extends Claiming>(
  slots: Slots<Given>,
  conditions: ClaimConditions<Given>,
  classes: readonly Class[],
) {
  const { value } = slots;
  const reserved = value((given) => Math.max(1, Math.floor(given.total * RESERVED_SHARE)));
  const thereupon = conditions.thereupon?.(slots);
  const share = new Share(slots, classes, reserved);
  return sql`
    with recursive admitted as materialized (${conditions.admitting(slots)}),
    ${sql.join(classes.map((one, place) => takingClass(one, place, share.of(place))))},
    taken as (${sql.join(
      classes.map((_, place) => sql`select tid from ${nameOf(place)}`),
      sql` union all `,
    )}),
    claimed as (
      update confirmation
      set state = 'claimed', lease_token = ${value(() => newId())},
        claimed_until = ${leaseEnd(value(({ leaseMs }) => leaseMs))}
      where ctid = any (array(select tid from taken))
      returning confirmation.*)${thereupon === undefined ? sql`` : sql`, thereupon as (${thereupon})`}
    select exists (select from admitted) as open,
      claimed.invoice_id as "invoiceId", claimed.source, claimed.lease_token as "leaseToken",
      claimed.priority, claimed.requests, claimed.attempt, claimed.faults, claimed.verdict,
      claimed.released_at is not null as released, claimed.erased_at is not null as erased,
      claimed.record_only as "recordOnly", claimed.traceparents, clock_timestamp() as "askedAt",
      ${conditions.adding}
    from (select) as always left join claimed on true ${conditions.joining}`;
}

const takingClass = (one: Class, place: number, limit: RawBuilder<unknown>) =>
  one.askedBefore === null ? takingByTurns(one, place, limit) : takingOldest(one, place, limit);
