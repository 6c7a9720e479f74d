import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { isGiven, KEY, lockedOf } from "./key-columns.ts";

type Keys = readonly ConfirmationKey[];

const setting = (assignment: RawBuilder<unknown>) =>
  new Statement({}, ({ table }: Slots<Keys>) => {
    const given = table("given", KEY, (keys) => keys);
    return sql`update confirmation set ${assignment} from ${lockedOf(given, sql`true`)} where ${isGiven}`;
  });

const release = setting(sql`released_at = clock_timestamp()`);
const dismiss = setting(sql`dismissed_at = clock_timestamp()`);

/** Lets invoices out of quarantine: the next answer is judged as if their collection were ours. */
export async function releaseConfirmations(db: Kysely<Tables>, keys: Keys): Promise<void> {
  await release.execute(db, keys);
}

/** Takes these off the operators' lists until they are settled again. */
export async function dismissConfirmations(db: Kysely<Tables>, keys: Keys): Promise<void> {
  await dismiss.execute(db, keys);
}
