import { type Kysely, sql } from "kysely";
import { type Alarm, alarmsGiven } from "../alarms/alarms.ts";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";

export interface Held {
  id: string;
  leaseToken: string;
}

export interface GivenBack {
  /** How long until it is due again, in ms. */
  dueInMs: number;
  /** Counts one more fault in a row. */
  isFault: boolean;
  error: string | null;
  /** Alarms to raise with it (G13). */
  raises?: readonly Alarm[];
}

/**
 * Gives an unfinished run back, to be continued from its saved progress.
 * @returns whether the lease was still held; if not, nothing was written.
 */
type GiveBack = (db: Kysely<Tables>, held: Held, given: GivenBack) => Promise<boolean>;

export function givingBack(table: "sweep" | "certificate"): GiveBack {
  const statement = new Statement({}, (slots: Slots<Held & GivenBack>) => {
    const { value } = slots;
    return sql`
      with moved as (
        update ${sql.table(table)} set state = 'due', lease_token = null, claimed_until = null,
          faults = faults + ${value(({ isFault }) => (isFault ? 1 : 0))},
          last_error = coalesce(${value(({ error }) => error)}, last_error),
          due_at = clock_timestamp() + ${value(({ dueInMs }) => dueInMs)}::float8 * interval '1 ms'
        where id = ${value(({ id }) => id)} and lease_token = ${value(({ leaseToken }) => leaseToken)}
          and state = 'claimed'
        returning 1),
      ${alarmsGiven(slots, ({ raises = [] }) => ({ raises }))}
      select from moved`;
  });
  return async (db, { id, leaseToken }, given) => {
    const rows = await statement.execute(db, { id, leaseToken, ...given });
    return rows.length > 0;
  };
}
