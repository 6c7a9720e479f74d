import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { readStanding } from "./change.ts";
import { type State, stateOf } from "./machine.ts";
import type { UpstreamKind } from "./upstream-kind.ts";

/** A source or topic, as a person wants to see it. */
export interface UpstreamStanding {
  /** The source's name, or the topic's ARN. */
  name: string;
  state: State;
  pausedBy: "operator" | "refused" | null;
  pausedAt: Date | null;
  /** When the pause ends by itself; null: when somebody resumes it. */
  pausedUntil: Date | null;
  pauseReason: string | null;
  lastError: string | null;
  /** While it backs off or was asked to wait: until when. */
  opensAt: Date | null;
}

/** All that `serve` ever knew, by name. */
export async function listUpstreams(db: Kysely<Tables>, kind: UpstreamKind): Promise<UpstreamStanding[]> {
  const { rows } = await sql<Omit<UpstreamStanding, "state">>`
    select ${sql.ref(kind.key)} as name, paused_by as "pausedBy", paused_at as "pausedAt",
      paused_until as "pausedUntil", pause_reason as "pauseReason", last_error as "lastError",
      nullif(greatest(opens_at, now()), now()) as "opensAt"
    from ${sql.table(kind.table)} order by 1`.execute(db);
  const standings: UpstreamStanding[] = [];
  for (const row of rows) {
    const standing = await readStanding(db, kind, row.name);
    if (standing !== null) standings.push({ ...row, state: stateOf(standing, kind.policy) });
  }
  return standings;
}
