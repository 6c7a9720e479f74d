import { type RawBuilder, sql } from "kysely";
import { type Class, dueIn, nameOf } from "./classes.ts";

/**
 * The most senders of one walk. A second walk begins anywhere, so that all get their turn in the end.
 */
const MOST_SENDERS = 500;

/**
 * One of each sender's, then a second one, and so on: whoever sends a million takes no more of a round than
 * whoever sends one. The senders are walked through by the index, a step each, however many rows they have;
 * in the order of a hash, so that no choice of addresses keeps another from its turn.
 */
export function takingByTurns(one: Class, place: number, limit: RawBuilder<unknown>): RawBuilder<unknown> {
  const sender = sql`hashtext(coalesce(sender, ''))`;
  const next = (after: RawBuilder<unknown>) => sql`
    (select ${sender} from confirmation where ${dueIn(one)} and ${sender} > ${after} order by 1 limit 1)`;
  const walk = (name: string, start: RawBuilder<unknown>) => sql`
    ${sql.table(name)} (sender, step) as (
      select ${next(start)}, 1
      union all
      select ${next(sql`walked.sender`)}, walked.step + 1 from ${sql.table(name)} as walked
      where walked.sender is not null and walked.step < ${sql.lit(MOST_SENDERS)})`;
  return sql`
    ${walk("walk_from_anywhere", sql`(select floor(random() * 4294967296 - 2147483649)::int8)`)},
    ${walk("walk_from_first", sql`(select -2147483649::int8)`)},
    turns as materialized (
      select due.* from (
        select sender from walk_from_anywhere
        union select sender from walk_from_first) as sender
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
