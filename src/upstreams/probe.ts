import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { UpstreamKind } from "./upstream-kind.ts";

/**
 * Whether this process is the one to try a refused upstream now. If so, the next try is due after as long as
 * it has been refused so far, within the bounds of its kind.
 */
export async function takeProbe(db: Kysely<Tables>, kind: UpstreamKind, name: string): Promise<boolean> {
  const { firstMs, capMs } = kind.policy.probe;
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(kind.table)} set probe_at = clock_timestamp() + least(${`${capMs} ms`}::interval,
      greatest(${`${firstMs} ms`}::interval, clock_timestamp() - paused_at))
    where ${sql.ref(kind.key)} = ${name} and paused_by = 'refused' and probe_at <= clock_timestamp()`.execute(
    db,
  );
  return numAffectedRows > 0n;
}
