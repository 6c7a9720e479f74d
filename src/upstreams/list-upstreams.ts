import { type Kysely, sql } from "kysely";
import { nullable, type RowOf, returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { VaryingStatement } from "../database/varying-statement.ts";
import { readStanding } from "./change.ts";
import { type State, stateOf } from "./machine.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "./upstream-kind.ts";

const UPSTREAM = {
  /** The source's name, or the topic's ARN. */
  name: returned.text(),
  pausedBy: nullable(returned.text<"operator" | "refused">()),
  pausedAt: nullable(returned.time),
  /** When the pause ends by itself; null: when somebody resumes it. */
  pausedUntil: nullable(returned.time),
  pauseReason: nullable(returned.text()),
  lastError: nullable(returned.text()),
  /** While it backs off or was asked to wait: until when. */
  opensAt: nullable(returned.time),
};

/** A source or topic, as a person wants to see it. */
export type UpstreamStanding = RowOf<typeof UPSTREAM> & { state: State };

const listing = new VaryingStatement(
  UPSTREAM,
  (kind: UpstreamKind) => sql`
    select ${sql.ref(kind.key)} as name, paused_by as "pausedBy", paused_at as "pausedAt",
      paused_until as "pausedUntil", pause_reason as "pauseReason", last_error as "lastError",
      nullif(greatest(opens_at, now()), now()) as "opensAt"
    from ${sql.table(kind.table)} order by 1`,
  [SOURCE, TOPIC],
);

/** All that `serve` ever knew, by name. */
export async function listUpstreams(db: Kysely<Tables>, kind: UpstreamKind): Promise<UpstreamStanding[]> {
  const standings: UpstreamStanding[] = [];
  for (const row of await listing.execute(db, kind)) {
    const standing = await readStanding(db, kind, row.name);
    if (standing !== null) standings.push({ ...row, state: stateOf(standing, kind.policy) });
  }
  return standings;
}
