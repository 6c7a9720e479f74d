import { type Kysely, type RawBuilder, sql } from "kysely";
import { leaseEnd } from "../database/leased-rows.ts";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import type { ConfirmationKey, Priority, Verdict } from "./confirmation.ts";

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
  /** It is to be recorded and not published. */
  recordOnly: boolean;
  /** The answer before this one was outside the contract, and an alarm about it may be open. */
  hasEvidence: boolean;
  /** Postgres' clock at the claim, before the GET begins. */
  askedAt: Date;
}

/** What a confirmation is like that nobody asked before. */
export const NEVER_ASKED = {
  priority: "unknown",
  requests: 1,
  attempt: 0,
  faults: 0,
  verdict: null,
  released: false,
  erased: false,
  recordOnly: false,
  hasEvidence: false,
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
  hasEvidence: nullable(returned.boolean),
  askedAt: nullable(returned.time),
} as const;

/** What a claim depends on besides the confirmations, and what it reads along. */
export interface ClaimConditions<Given> {
  /** Yields the source's name, or no row when nothing may be taken. */
  admitting(slots: Slots<Given>): RawBuilder<unknown>;
  /** What is written because of those that were `claimed`. */
  thereupon?(slots: Slots<Given>): RawBuilder<unknown>;
  /** Joins to the rows of `claimed`, and the list of what they add. */
  joining: RawBuilder<unknown>;
  adding: RawBuilder<unknown>;
}

/** A class of work, as the index on due confirmations has it. */
interface Class {
  priority: Priority;
  askedBefore: boolean;
}

/** First asks before repeats, known ids before unknown ones, replays last. */
const CLASSES: readonly Class[] = [
  { priority: "known", askedBefore: false },
  { priority: "unknown", askedBefore: false },
  { priority: "known", askedBefore: true },
  { priority: "unknown", askedBefore: true },
  { priority: "replay", askedBefore: false },
  { priority: "replay", askedBefore: true },
];

/** Of each claim, every class that has work due gets at least so much, so that none starves. */
const RESERVED_SHARE = 1 / 8;

/** Claims due confirmations of one source in one statement. `Row` is what the claim returns for each. */
export class ConfirmationClaim<Given extends Claiming, Result extends typeof CLAIMED> {
  readonly #statement: Statement<Given, Result>;

  constructor(returns: Result, conditions: ClaimConditions<Given>) {
    this.#statement = new Statement(returns, (slots: Slots<Given>) => claiming(slots, conditions));
  }

  /** @returns a row for each confirmation; one without an invoice id, that says whether the source is open, for none. */
  from(db: Kysely<Tables>, given: Given) {
    return this.#statement.execute(db, given);
  }
}

function claiming<Given extends Claiming>(slots: Slots<Given>, conditions: ClaimConditions<Given>) {
  const { value } = slots;
  const total = value((given) => given.total);
  const reserved = value((given) => Math.max(1, Math.floor(given.total * RESERVED_SHARE)));
  const thereupon = conditions.thereupon?.(slots);
  return sql`
    with admitted as materialized (${conditions.admitting(slots)}),
    ${sql.join(CLASSES.map((one, index) => takingClass(one, index, limitOf(slots, index, total, reserved))))},
    taken as (${sql.join(
      CLASSES.map((_, index) => sql`select * from ${nameOf(index)}`),
      sql` union all `,
    )}),
    claimed as (
      update confirmation
      set state = 'claimed', lease_token = ${value(() => newId())},
        claimed_until = ${leaseEnd(value(({ leaseMs }) => leaseMs))}
      from taken where confirmation.invoice_id = taken.invoice_id and confirmation.source = taken.source
      returning confirmation.*)${thereupon === undefined ? sql`` : sql`, thereupon as (${thereupon})`}
    select exists (select from admitted) as open,
      claimed.invoice_id as "invoiceId", claimed.source, claimed.lease_token as "leaseToken", claimed.priority,
      claimed.requests, claimed.attempt, claimed.faults, claimed.verdict, claimed.released_at is not null as released,
      claimed.erased_at is not null as erased, claimed.record_only as "recordOnly",
      claimed.last_answer is not null as "hasEvidence", clock_timestamp() as "askedAt",
      ${conditions.adding}
    from (select) as always left join claimed on true ${conditions.joining}`;
}

const nameOf = (index: number) => sql.table(`class_${index}`);

const dueIn = ({ priority, askedBefore }: Class) => sql`
  source = (select name from admitted) and priority = ${sql.lit(priority)}
  and (attempt + faults > 0) = ${sql.lit(askedBefore)} and state = 'due' and due_at <= now()`;

const takingClass = (one: Class, index: number, limit: RawBuilder<unknown>) => sql`
  ${nameOf(index)} as (
    select invoice_id, source from confirmation where ${dueIn(one)}
    order by due_at limit ${limit} for update skip locked)`;

/** What is left of the claim after the classes before, less what is reserved for those that come after. */
function limitOf<Given extends Claiming>(
  slots: Slots<Given>,
  index: number,
  total: RawBuilder<unknown>,
  reserved: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const indexed = CLASSES.map((one, place) => ({ one, place }));
  const before = indexed.filter(({ place }) => place < index);
  const waiting = indexed.slice(index + 1).map(({ one }) => {
    const due = sql`select from confirmation where ${dueIn(one)} limit ${reserved}`;
    return sql`least(${mostOf(slots, one, total)}, (select count(*) from (${due}) as waiting))`;
  });
  const own = CLASSES[index];
  const same = before.filter(({ one }) => one.priority === own?.priority);
  const most = own === undefined ? total : mostOf(slots, own, total);
  return sql`greatest(0, least(
    ${total}::bigint - (${sum(before.map(taken))}) - (${sum(waiting)}), ${most} - (${sum(same.map(taken))})))`;
}

const taken = ({ place }: { place: number }) => sql`(select count(*) from ${nameOf(place)})`;

const sum = (terms: readonly RawBuilder<unknown>[]) => sql.join([sql`0`, ...terms], sql` + `);

function mostOf<Given extends Claiming>(
  { value }: Slots<Given>,
  { priority }: Class,
  total: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (priority === "known") return sql`${total}::bigint`;
  return sql`${value((given) => (priority === "unknown" ? given.unknown : given.replays))}::bigint`;
}
