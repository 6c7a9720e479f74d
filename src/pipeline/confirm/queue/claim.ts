import { type RawBuilder, sql } from "kysely";
import {
  type Database,
  nullable,
  perhaps,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";
import {
  allowanceOf,
  type Budget,
  isHealthy,
  type Limits,
  readSource,
  SOURCE,
  spendAllowance,
  whenSourceIsHealthy,
  whenSourceIsUnchanged,
} from "../../../platform/upstreams/index.ts";
import { claimedFor, type Lease, QueuedRows } from "../../../platform/worker/index.ts";
import { paidEventIsLogged } from "../../publish/index.ts";
import type { Priority, Verdict } from "./confirmation.ts";

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
  /** Of the callback that opened it; null while tracing is off. */
  traceparents: nullable(returned.text()),
  /** Postgres' clock at the claim, before the GET begins. */
  askedAt: returned.time,
};

const KNOWN = {
  status: returned.text(),
  type: nullable(returned.text()),
  modifiedAt: nullable(returned.time),
  amount: nullable(returned.numeric),
  totalAmount: nullable(returned.numeric),
  digest: returned.text(),
};

/** The relay's last knowledge of an invoice. */
export type KnownInvoice = RowOf<typeof KNOWN>;

/** A confirmation that this worker holds the lease of. */
export type ClaimedConfirmation = RowOf<typeof CONFIRMATION>;

/** With what the relay knew of its invoice at the claim; nothing for a new one. */
export interface Claimed extends ClaimedConfirmation {
  known?: KnownInvoice | null;
  /** Its `invoice.paid` is in the log. */
  hasEvent?: boolean;
  /** `performance.now()` at the claim, from which `askedAt` goes on. */
  claimedAt?: number;
  /** The traceparent of this try and of its event; left out while tracing is off. */
  traceparent?: string;
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

interface ClaimOptions {
  source: string;
  lease: Lease;
  /** The most to be taken. */
  total: number;
  /** Of these about unknown ids. */
  unknown: number;
  /** Of these replayed. */
  replays: number;
}

interface SourceClaim {
  items: Claimed[];
  /** The source is healthy, so far as this claim saw. */
  isHealthy: boolean;
  /** Most unknown ids prove unknown, so that they are asked slowly. */
  isFlooded: boolean;
  /** The key was refused, so a worker must probe it. */
  isRefused: boolean;
  /**
   * When more may be due although nothing is to be taken now, in ms; null when only new work would change it.
   */
  moreInMs: number | null;
}

/**
 * Takes due confirmations of one source. A source that is healthy and has no limit needs one statement. For any
 * other the allowance is calculated first, and the claim spends it only if the source has not changed
 * meanwhile, so that any number of processes keep one limit.
 */
export async function claimConfirmations(
  db: Database,
  { limits, ...claiming }: ClaimOptions & { limits: Limits },
): Promise<SourceClaim> {
  const limited = limits.ratePerSecond !== null;
  if (!limited) {
    const rows = await claimWhenHealthy.execute(db, claiming);
    if (rows[0]?.open === true)
      return {
        items: rows.flatMap(claimedIn),
        isHealthy: true,
        isFlooded: false,
        isRefused: false,
        moreInMs: null,
      };
  }
  for (;;) {
    const row = await readSource(db, claiming.source);
    const allowance = allowanceOf(row, SOURCE.policy, limits, claiming.total);
    const { total, unknown, moreInMs } = allowance;
    const { isFlooded, version } = row;
    const found = {
      isHealthy: isHealthy(row) && !isFlooded,
      isFlooded,
      isRefused: row.pausedBy === "refused",
      moreInMs,
    };
    if (total < 1) return { items: [], ...found };
    const given = { ...claiming, total, unknown, version, allowance, limited };
    const rows = await claimWithinAllowance.execute(db, given);
    if (rows[0]?.open === true) return { items: rows.flatMap(claimedIn), ...found };
  }
}

/**
 * A row for each confirmation; if there are none, a single row without an invoice id. Each says whether the
 * source is open.
 */
const RETURNS = {
  open: returned.boolean,
  ...perhaps(CONFIRMATION),
  ...perhaps(KNOWN),
  hasEvent: returned.boolean,
} as const;

function claimedIn({ open: _, ...row }: RowOf<typeof RETURNS>): Claimed[] {
  const { status, type, modifiedAt, amount, totalAmount, digest, ...claimed } = row;
  if (claimed.invoiceId === null) return [];
  const known =
    status === null || digest === null ? null : { status, type, modifiedAt, amount, totalAmount, digest };
  return [{ ...(claimed as Claimed), known, claimedAt: performance.now() }];
}

/** First requests before repeats, known ids before unknown ones, replays last. */
const IN_ORDER = [
  { name: sql`known_first`, priority: "known", repeated: 0 },
  { name: sql`unknown_first`, priority: "unknown", repeated: 0 },
  { name: sql`known_again`, priority: "known", repeated: 1 },
  { name: sql`unknown_again`, priority: "unknown", repeated: 1 },
  { name: sql`replay_first`, priority: "replay", repeated: 0 },
  { name: sql`replay_again`, priority: "replay", repeated: 1 },
] as const;

type Class = (typeof IN_ORDER)[number];

/**
 * Takes the oldest of one class, as many as the classes before it left. `repeated` is compared as the number that
 * the index holds: without it Postgres would sort all that is due for each claim.
 */
function takeOldest({ value }: Slots<ClaimOptions>, one: Class, position: number): RawBuilder<unknown> {
  const limits = {
    known: value(({ total }) => total),
    unknown: value(({ unknown }) => unknown),
    replay: value(({ replays }) => replays),
  };
  const left = (limit: RawBuilder<unknown>, earlier: readonly Class[]) =>
    sql.join(
      [sql`${limit}::bigint`, ...earlier.map(({ name }) => sql`(select count(*) from ${name})`)],
      sql` - `,
    );
  const earlier = IN_ORDER.slice(0, position);
  const ofItsPriority = earlier.filter(({ priority }) => priority === one.priority);
  return sql`
    ${one.name} as (
      select ctid as tid from confirmation
      where source = (select name from admitted) and priority = ${sql.lit(one.priority)}
        and least(attempt + faults, 1) = ${sql.lit(one.repeated)} and state = 'due' and due_at <= now()
      order by due_at
      limit greatest(0, least(${left(limits.known, earlier)}, ${left(limits[one.priority], ofItsPriority)}))
      for update skip locked)`;
}

/**
 * Claims in one statement. It finds the taken rows again by their ctid: a join would be planned as if a tenth
 * of all that wait were taken. Their invoices are looked up one by one: for a plain join Postgres might read
 * all of them, by a plan from a time when there were few.
 * @param admitted yields the source's name, or no row when nothing may be taken.
 * @param spent what is written in the same statement, from the rows of `claimed`.
 */
function claimRows<Given extends ClaimOptions>(
  slots: Slots<Given>,
  admitted: RawBuilder<unknown>,
  spent = sql``,
) {
  return sql`
    with admitted as materialized (${admitted}),
    ${sql.join(IN_ORDER.map((one, position) => takeOldest(slots, one, position)))},
    taken as (${sql.join(
      IN_ORDER.map(({ name }) => sql`select tid from ${name}`),
      sql` union all `,
    )}),
    claimed as (
      update confirmation
      set ${claimedFor(slots)}, asked_at = clock_timestamp()
      where ctid = any (array(select tid from taken))
      returning confirmation.*)${spent}
    select exists (select from admitted) as open,
      claimed.invoice_id as "invoiceId", claimed.source, claimed.lease_token as "leaseToken",
      claimed.priority, claimed.requests, claimed.attempt, claimed.faults, claimed.verdict,
      claimed.released_at is not null as released, claimed.erased_at is not null as erased,
      claimed.record_only as "recordOnly", claimed.traceparents, clock_timestamp() as "askedAt",
      invoice.status, invoice.type, invoice.modified_at as "modifiedAt", invoice.amount,
      invoice.total_amount as "totalAmount", invoice.digest, ${paidEventIsLogged} as "hasEvent"
    from (select) as always left join claimed on true
    left join lateral (select * from invoice
      where invoice.source = claimed.source and invoice.id = claimed.invoice_id limit 1) as invoice on true`;
}

const claimWhenHealthy = new Statement(RETURNS, (slots: Slots<ClaimOptions>) =>
  claimRows(slots, whenSourceIsHealthy(slots.value(({ source }) => source))),
);

const claimWithinAllowance = new Statement(RETURNS, (slots: Slots<ClaimOptions & Budget>) =>
  claimRows(slots, whenSourceIsUnchanged(slots), sql`, paid_for as (${spendAllowance(slots)})`),
);

export const confirmationLeases = new QueuedRows("confirmation", "invoice_id");

/** A condition: confirmations of these sources are due, one step into the index for each class of each. */
export const confirmationsAreDue = (sources: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (
    select from unnest(${sources}) as given (source)
    cross join (values ('known'), ('unknown'), ('replay')) as class (priority)
    cross join (values (0), (1)) as kind (asked_before)
    cross join lateral (
      select from confirmation as one
      where one.source = given.source and one.priority = class.priority and state = 'due'
        and least(attempt + faults, 1) = kind.asked_before and due_at <= now()
      limit 1) as due)`;
