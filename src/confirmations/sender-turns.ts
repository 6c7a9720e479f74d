import { type RawBuilder, sql } from "kysely";
import { type Class, dueIn, nameOf } from "./classes.ts";

/**
 * The most senders that one walk passes. A second walk begins at a random address, so that those further on
 * get their turn too.
 */
const MOST_SENDERS = 500;

/**
 * Takes one confirmation of each sender, then a second one of each, and so on: whoever sends a million gets
 * no more of a round than whoever sends one. The index leads from sender to sender in one step each, however
 * many rows they have.
 */
export function takingByTurns(one: Class, place: number, limit: RawBuilder<unknown>): RawBuilder<unknown> {
  const sender = sql`coalesce(sender, '')`;
  const next = (after: RawBuilder<unknown>) => sql`
    (select ${sender} from confirmation where ${dueIn(one)} and ${sender} > ${after} order by 1 limit 1)`;
  const walk = (name: string, start: RawBuilder<unknown>) => sql`
    ${sql.table(name)} (sender, step) as (
      select ${next(start)}, 1
      union all
      select ${next(sql`walked.sender`)}, walked.step + 1 from ${sql.table(name)} as walked
      where walked.sender is not null and walked.step < ${sql.lit(MOST_SENDERS)})`;
  return sql`
    ${walk("walk_from_anywhere", sql`(floor(random() * 256)::int)::text`)},
    ${walk("walk_from_first", sql`''`)},
    turns as materialized (
      select due.* from (
        select sender from walk_from_anywhere
        union select sender from walk_from_first
        union select '') as sender
      cross join lateral (
        select invoice_id, source, due_at, row_number() over (order by due_at) as turn from (
          select invoice_id, source, due_at from confirmation
          where ${dueIn(one)} and ${sender} = sender.sender
          order by due_at limit ${limit}) as oldest) as due
      order by due.turn, due.due_at limit ${limit}),
    ${nameOf(place)} as (
      select confirmation.ctid as tid from confirmation
      join turns on turns.invoice_id = confirmation.invoice_id and turns.source = confirmation.source
      where confirmation.state = 'due'
      for update of confirmation skip locked)`;
}
