import { type RawBuilder, sql } from "kysely";
import type { Slots } from "../../database/statement.ts";
import type { Priority } from "./confirmation.ts";

/** The limits of one claim. */
export interface ClaimLimits {
  total: number;
  /** Of these about unknown ids. */
  unknown: number;
  /** Of these replayed. */
  replays: number;
  /** From 0 to less than 1, another for each claim: it says which classes get parts of a reserved one. */
  chance: number;
}

/** A class of work, as the index on due confirmations has it. */
export interface Class {
  priority: Priority;
  /** null: either. */
  askedBefore: boolean | null;
}

/** First asks before repeats, known ids before unknown ones, replays last. */
export const IN_ORDER: readonly Class[] = [
  { priority: "known", askedBefore: false },
  { priority: "unknown", askedBefore: false },
  { priority: "known", askedBefore: true },
  { priority: "unknown", askedBefore: true },
  { priority: "replay", askedBefore: false },
  { priority: "replay", askedBefore: true },
];

/** While unknown ids flood in, their senders take turns. */
export const IN_A_FLOOD: readonly Class[] = [
  ...IN_ORDER.filter(({ priority }) => priority === "known"),
  { priority: "unknown", askedBefore: null },
  ...IN_ORDER.filter(({ priority }) => priority === "replay"),
];

/** Every class that has work due gets at least this share of what is claimed, so that none starves. */
const RESERVED_SHARE = 1 / 8;

/**
 * How many of one claim are kept for the class at that position. Parts of one go round by chance: over many
 * claims each class gets its share exactly, of claims for a single confirmation too, and no claim keeps more
 * than it has. Classes of one priority share what that priority may have. Pure.
 */
function reservedFor(position: number, classes: readonly Class[], limits: ClaimLimits): number {
  const shares = classes.map(({ priority }) => {
    const ofPriority = classes.filter((other) => other.priority === priority).length;
    return Math.min(limits.total * RESERVED_SHARE, limitOf(priority, limits) / ofPriority);
  });
  const before = shares.slice(0, position).reduce((sum, share) => sum + share, limits.chance);
  return Math.floor(before + (shares[position] ?? 0)) - Math.floor(before);
}

const limitOf = (priority: Priority, { total, unknown, replays }: ClaimLimits): number =>
  ({ known: total, unknown, replay: replays })[priority];

type Value<Given> = Slots<Given>["value"];

/** A row of how many of its reserved ones each class after the first has work for. */
export function countWaiting<Given extends ClaimLimits>(value: Value<Given>, classes: readonly Class[]) {
  const counts = classes.map((one, position) => {
    const reserved = value((given) => reservedFor(position, classes, given));
    // Both kinds by name: before Postgres 18 the index would be read past all that is not due yet.
    const both = one.askedBefore === null ? sql`and least(attempt + faults, 1) in (0, 1)` : sql``;
    return sql`(select count(*) from (
      select from confirmation where ${dueIn(one)} ${both} limit ${reserved}) as due) as ${nameOf(position)}`;
  });
  return sql`select ${sql.join(counts.slice(1))}`;
}

/**
 * How many the class at that position may take: what earlier ones left of the claim, and of what its priority
 * may have, less what is `waiting` in later ones.
 */
export function shareOf<Given extends ClaimLimits>(
  value: Value<Given>,
  classes: readonly Class[],
  position: number,
): RawBuilder<unknown> {
  const priority = classes[position]?.priority ?? "known";
  const left = (limit: RawBuilder<unknown>, isAmong: (other: Class) => boolean) => {
    const others = [...classes.keys()].filter((other) => isAmong(classes[other] as Class));
    const taken = others.filter((other) => other < position).map(countOf);
    const reserved = others.filter((other) => other > position).map(waitingIn);
    return sql`${limit}::bigint - (${sum(taken)}) - (${sum(reserved)})`;
  };
  const total = left(
    value((given) => given.total),
    () => true,
  );
  if (priority === "known") return sql`greatest(0, ${total})`;
  const ofPriority = left(
    value((given) => limitOf(priority, given)),
    (other) => other.priority === priority,
  );
  return sql`greatest(0, least(${total}, ${ofPriority}))`;
}

const countOf = (position: number) => sql`(select count(*) from ${nameOf(position)})`;

const waitingIn = (position: number) => sql`(select ${nameOf(position)} from waiting)`;

const sum = (terms: readonly RawBuilder<unknown>[]) => sql.join([sql`0`, ...terms], sql` + `);

/** The name that a claim's statement gives to the class at that position. */
export const nameOf = (position: number) => sql.table(`class_${position}`);

/**
 * A condition on rows of `confirmation`: due, and of that class. `askedBefore` is compared as the number that
 * the index holds: no index serves a boolean here, and Postgres would sort all that is due for each claim.
 */
export const dueIn = ({ priority, askedBefore }: Class) => sql`
  source = (select name from admitted) and priority = ${sql.lit(priority)}
  and state = 'due' and due_at <= now()
  ${askedBefore === null ? sql`` : sql`and least(attempt + faults, 1) = ${sql.lit(Number(askedBefore))}`}`;

/** Takes the oldest of a class. */
export const takeOldest = (one: Class, position: number, limit: RawBuilder<unknown>) => sql`
  ${nameOf(position)} as (
    select ctid as tid from confirmation where ${dueIn(one)}
    order by due_at limit ${limit} for update skip locked)`;
