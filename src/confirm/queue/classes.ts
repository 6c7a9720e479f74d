import { type RawBuilder, sql } from "kysely";
import type { Priority } from "./confirmation.ts";

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

/** The name that a claim's statement gives to the class in that place. */
export const nameOf = (place: number) => sql.table(`class_${place}`);

/**
 * A condition on rows of `confirmation`: due, and of that class. `askedBefore` is compared as the number that
 * the index holds: no index serves a boolean here, and Postgres would sort all that is due for each claim.
 */
export const dueIn = ({ priority, askedBefore }: Class) => sql`
  source = (select name from admitted) and priority = ${sql.lit(priority)}
  and state = 'due' and due_at <= now()
  ${askedBefore === null ? sql`` : sql`and least(attempt + faults, 1) = ${sql.lit(Number(askedBefore))}`}`;

/** Takes the oldest of a class. */
export const takingOldest = (one: Class, place: number, limit: RawBuilder<unknown>) => sql`
  ${nameOf(place)} as (
    select ctid as tid from confirmation where ${dueIn(one)}
    order by due_at limit ${limit} for update skip locked)`;
