import { type RawBuilder, sql } from "kysely";

// A confirmation's `traceparents`: of the callback that opened it, then of those that coalesced with it,
// separated by spaces; null while tracing is off.

/** One that opens it, and eight that coalesce: further ones leave no trace here. */
const MOST = 9;
const LENGTH = 55;
const MOST_LENGTH = MOST * (LENGTH + 1) - 1;

/** Those of callbacks that one commit coalesces, in their order. */
export const joinTraceparents = (traceparents: readonly string[]): string | null =>
  traceparents.length === 0 ? null : traceparents.slice(0, MOST).join(" ");

/** What an ask continues, and what it is linked to. */
export function splitTraceparents(joined: string | null): { parent: string | null; links: string[] } {
  const [parent = null, ...links] = joined?.split(" ") ?? [];
  return { parent, links };
}

/**
 * The `traceparents` of a confirmation that is asked for again, in terms of `known` and `excluded`: one that
 * was settled begins anew, one that is open keeps its own and adds the new ones while there is room.
 */
export const coalescedTraceparents: RawBuilder<unknown> = sql`
  case when known.state in ('done', 'dead') or known.traceparents is null then excluded.traceparents
    when excluded.traceparents is null
      or length(known.traceparents) + length(excluded.traceparents) >= ${sql.lit(MOST_LENGTH)}
      then known.traceparents
    else known.traceparents || ' ' || excluded.traceparents end`;
