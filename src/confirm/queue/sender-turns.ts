import { type RawBuilder, sql } from "kysely";
import { Statement } from "../../database/statement.ts";
import type { Database } from "../../database/tables.ts";
import { type Class, dueIn, nameOf } from "./fair-share.ts";

/** How many senders without anything due one claim passes over. */
const SKIP_LIMIT = 16;

/**
 * For how long a sender has had nothing due when it leaves the line. That is longer than any statement that
 * records callbacks may take: one that saw its sender in the line, and so did not add it, has ended by then.
 */
const LEAVE_AFTER = sql.lit("10 s");

const mayLeave = sql`coalesce(idle_since < clock_timestamp() - ${LEAVE_AFTER}::interval, false)`;

/** Those who have nothing due stand behind all who wait, by numbers that the sequence never reaches. */
const BEHIND_ALL = sql`case when idle_since is null then turn + (1::bigint << 62) else turn end`;

/**
 * Senders join the line at its end. Nearly always they stand in it, which costs a look at each: an anti-join
 * might read the whole line, and so might a plain equality, by the index in order of turns; no order but the
 * primary key's serves this one. They join in one order, so that concurrent statements cannot deadlock.
 * @param waiting yields source and sender, each once.
 */
const joinInOrder = (waiting: RawBuilder<unknown>) => sql`
  insert into sender_turn (source, sender)
  select source, sender from (${waiting}) as waiting
  where (select idle_since is null from sender_turn as known
    where known.source = waiting.source and known.sender between waiting.sender and waiting.sender
    order by known.sender limit 1) is not true
  order by source, sender
  on conflict (source, sender) do update set turn = default, idle_since = null`;

/** Part of what opens confirmations, the rows of `opened`. */
export const joinLine: RawBuilder<unknown> = joinInOrder(sql`
  select distinct source, coalesce(sender, '') as sender from opened
  where state = 'due' and priority = 'unknown'`);

/** So many of a sender are counted. */
const COUNT_LIMIT = sql.lit(100);

/** How many of a sender's are taken before the confirmation `known`. Only that index has this order. */
const ahead = (sender: RawBuilder<unknown>) => sql`
  (select count(*) from (
    select from confirmation as other
    where other.source = known.source and other.state = 'due' and other.priority = 'unknown'
      and coalesce(other.sender, '') = coalesce(${sender}, '')
      and other.due_at < case known.state when 'due' then least(known.due_at, clock_timestamp())
        else clock_timestamp() end
    order by other.due_at limit ${COUNT_LIMIT}) as others)`;

/**
 * Whose turn the waiting confirmation `known` takes when another sender asks for it as well: that of the one
 * who has fewer before it. So no forger who names an id first has it wait behind all that he made up; and one
 * who names it later delays nothing, since the end of the line is sooner than a second round.
 */
export const soonerSender: RawBuilder<unknown> = sql`
  case when excluded.sender is null or known.sender is not distinct from excluded.sender
      or (known.priority, excluded.priority) <> ('unknown', 'unknown') then known.sender
    when ${ahead(sql`excluded.sender`)} < ${ahead(sql`known.sender`)} then excluded.sender
    else known.sender end`;

/**
 * Takes the oldest of each sender in the order of the line, then a second one of each, and so on. Whoever was
 * served goes to the end of the line, where new senders join it: the least recently served is first, for all
 * claims and processes, and neither a million ids nor a million addresses pass anybody who waits. However
 * long the line is, a claim looks at no more of it than it takes and passes over; the state is compared so
 * that no index on it applies, by which a kept plan would read all that is due.
 */
export function takeByTurns(one: Class, position: number, limit: RawBuilder<unknown>): RawBuilder<unknown> {
  const source = sql`(select name from admitted)`;
  const isOneOf = (tids: RawBuilder<unknown>) => sql`ctid = any (array(${tids}))`;
  return sql`
    share as materialized (select ${limit} as free),
    line as materialized (
      select ctid as tid, sender, turn, ${mayLeave} as may_leave from sender_turn where source = ${source}
      order by turn
      limit (select case when free > 0 then free + ${sql.lit(SKIP_LIMIT)} else 0 end from share)
      for update skip locked),
    due_of_line as materialized (
      select line.sender, line.turn, due.tid, due.round from line
      cross join lateral (
        select tid, row_number() over (order by due_at) as round from (
          select ctid as tid, due_at from confirmation
          where ${dueIn(one)} and coalesce(sender, '') = line.sender
          order by due_at limit (select free from share)) as oldest) as due),
    turns as materialized (
      select tid, sender from due_of_line order by round, turn limit (select free from share)),
    -- Whose oldest is locked just now had its turn too: no sender stays first by that.
    served as (
      update sender_turn set turn = default, idle_since = null
      where ${isOneOf(sql`select tid from line where sender in (select sender from turns)`)}),
    idle as materialized (
      select tid, may_leave from line where sender not in (select sender from due_of_line)),
    passed_over as (
      update sender_turn set turn = ${BEHIND_ALL}, idle_since = coalesce(idle_since, clock_timestamp())
      where ${isOneOf(sql`select tid from idle where not may_leave`)}),
    gone as (delete from sender_turn where ${isOneOf(sql`select tid from idle where may_leave`)}),
    ${nameOf(position)} as (
      select ctid as tid from confirmation
      where ${isOneOf(sql`select tid from turns`)} and state || '' = 'due' for update skip locked)`;
}

/** The senders that have something due, each found by one step through their index. */
const walk = sql`
  walk (source, sender) as (
    (select source, coalesce(sender, '') from confirmation
      where state = 'due' and priority = 'unknown' and coalesce(sender, '') is not null
      order by source, coalesce(sender, '') limit 1)
    union all
    select next.* from walk cross join lateral (
      select confirmation.source, coalesce(confirmation.sender, '') from confirmation
      where state = 'due' and priority = 'unknown' and coalesce(confirmation.sender, '') is not null
        and (confirmation.source, coalesce(confirmation.sender, '')) > (walk.source, walk.sender)
      order by confirmation.source, coalesce(confirmation.sender, '') limit 1) as next),
  due as materialized (
    select * from walk where exists (
      select from confirmation where confirmation.source = walk.source and state = 'due'
        and priority = 'unknown' and coalesce(confirmation.sender, '') = walk.sender and due_at <= now()))`;

const refreshTurns = new Statement(
  {},
  () => sql`
    with recursive ${walk},
    joined as (${joinInOrder(sql`select source, sender from due`)}),
    idle as materialized (
      select source, sender, ${mayLeave} as may_leave from sender_turn
      where (source, sender) not in (select source, sender from due) and (idle_since is null or ${mayLeave})
      order by source, sender for update skip locked),
    noticed as (
      update sender_turn set turn = ${BEHIND_ALL}, idle_since = clock_timestamp() from idle
      where sender_turn.source = idle.source and sender_turn.sender = idle.sender and not idle.may_leave)
    delete from sender_turn using idle
    where sender_turn.source = idle.source and sender_turn.sender = idle.sender and idle.may_leave`,
);

/**
 * Brings the line up to date with what is due, also while no claim looks at it: a sender whose repeat has
 * become due, or whose lease ran out, joins it; one that has had nothing due for long leaves it.
 */
export async function refreshLine(db: Database): Promise<void> {
  await refreshTurns.execute(db, undefined);
}
