import { type Kysely, sql } from "kysely";
import { clearing, type Told } from "../alarms/alarms.ts";
import { nullable, returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { VaryingStatement } from "../database/varying-statement.ts";
import { change, type Read, readStanding } from "./change.ts";
import { type Signal, transition } from "./machine.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "./upstream-kind.ts";

/**
 * Pauses or resumes one source or topic, with the alarms that this closes, in the caller's transaction.
 * @returns null when it changes nothing, or there is no such source or topic.
 */
export async function changeByHand(
  trx: Kysely<Tables>,
  kind: UpstreamKind,
  name: string,
  signal: Extract<Signal, { kind: "pause" | "resume" }>,
): Promise<{ before: Read; told: Told } | null> {
  for (;;) {
    const before = await readStanding(trx, kind, name);
    const after = before === null ? null : transition(before, signal, kind.policy, Math.random());
    if (before === null || after === null) return null;
    const told = await change(trx, kind, name, before, after);
    if (told !== null) return { before, told };
  }
}

const endingPauses = new VaryingStatement(
  { name: returned.text(), reason: nullable(returned.text()), until: returned.time },
  (kind: UpstreamKind) => {
    const key = sql.ref(`${kind.table}.${kind.key}`);
    return sql`
      with ended as (
        select ${key} as name, pause_reason as reason, paused_until as until from ${sql.table(kind.table)}
        where paused_until <= clock_timestamp() for update),
      told as (${clearing(sql`name = ${kind.alarms.paused} and subject in (select name from ended)`)})
      update ${sql.table(kind.table)} set version = version + 1,
        paused_by = null, paused_at = null, paused_until = null, pause_reason = null
      from ended where ${key} = ended.name
      returning ended.name, ended.reason, ended.until`;
  },
  [SOURCE, TOPIC],
);

/**
 * Writes down which pauses have ended by themselves; they have held nothing back since `until`. What was told
 * of a refusal before the pause is over: if it is refused still, the next answer says so anew.
 */
export const endPauses = (db: Kysely<Tables>, kind: UpstreamKind) => endingPauses.execute(db, kind);
