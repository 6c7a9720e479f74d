import { sql } from "kysely";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";

/** How long one process has for publishing them, in ms: then another one may. */
const CLAIM_MS = 60_000;

const claimDue = new Statement(
  { source: returned.text() },
  ({ value }: Slots<{ sources: readonly string[] }>) => sql`
    insert into published_root as kept (source, claimed_until)
    select name, clock_timestamp() + ${CLAIM_MS} * interval '1 ms'
    from unnest(${value(({ sources }) => sources)}::text[]) as name order by name
    on conflict (source) do update set claimed_until = excluded.claimed_until
    where kept.claimed_until not between clock_timestamp() and clock_timestamp() + ${CLAIM_MS} * interval '1 ms'
      is not false
      and date_trunc('hour', kept.published_at) is distinct from date_trunc('hour', clock_timestamp())
    returning source`,
);

/** Of the sources, those whose root was not published in this hour, for this process alone. */
export async function claimDueRoots(db: Database, sources: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await claimDue.execute(db, { sources })).map(({ source }) => source));
}

/** The topic took this root. */
export async function notePublishedRoot(
  db: Database,
  { source, size, root }: { source: string; size: string; root: string },
): Promise<void> {
  await db
    .updateTable("published_root")
    .set({
      published_at: sql`clock_timestamp()`,
      claimed_until: null,
      size: Number(size),
      root: Buffer.from(root, "hex"),
    })
    .where("source", "=", source)
    .execute();
}
