import { type Kysely, type RawBuilder, sql } from "kysely";
import { nullable, perhaps, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/ids.ts";
import { leaseEnd } from "../../work/leased-rows.ts";
import { type Class, IN_A_FLOOD, IN_ORDER, nameOf, takingOldest } from "./classes.ts";
import type { Priority, Verdict } from "./confirmation.ts";
import { Share } from "./fair-share.ts";
import { takeByTurns } from "./sender-turns.ts";

const CONFIRMATION = {
  invoiceId: returned.uuid,
  source: returned.text(),
  leaseToken: returned.uuid,
  priority: returned.text<Priority>(),
  requests: returned.integer,
  attempt: returned.integer,
  faults: returned.integer,
  verdict: nullable(returned.text<Verdict>()),
  /** An operator let this invoice out of quarantine. */
  released: returned.boolean,
  /** Its personal data was erased here, and must not come back. */
  erased: returned.boolean,
  /** The provider's answer is to be recorded and not published. */
  recordOnly: returned.boolean,
  /** Of the callbacks that asked for it (traceparents.ts); null while tracing is off. */
  traceparents: nullable(returned.text()),
  /** Postgres' clock at the claim, before the GET begins. */
  askedAt: returned.time,
};

/** A confirmation that this worker holds the lease of. */
export type ClaimedConfirmation = RowOf<typeof CONFIRMATION>;

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
  /** From 0 to less than 1, another for each claim: it says which classes get parts of a place. */
  chance: number;
  leaseMs: number;
}

/** The columns of a claim; those of a confirmation are null where nothing was claimed. */
export const CLAIMED = { open: returned.boolean, ...perhaps(CONFIRMATION) };

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
  const thereupon = conditions.thereupon?.(slots);
  const share = new Share(slots, classes);
  return sql`
    with recursive admitted as materialized (${conditions.admitting(slots)}),
    waiting as materialized (${share.waiting}),
    ${sql.join(classes.map((one, place) => takingClass(one, place, share.of(place))))},
    taken as (${sql.join(
      classes.map((_, place) => sql`select tid from ${nameOf(place)}`),
      sql` union all `,
    )}),
    claimed as (
      update confirmation
      set state = 'claimed', asked_at = clock_timestamp(), lease_token = ${value(() => newId())},
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
  one.askedBefore === null ? takeByTurns(one, place, limit) : takingOldest(one, place, limit);
