import { type Kysely, sql } from "kysely";
import type { CollectionApiError } from "../collection-api/index.ts";
import type { Tables } from "../database/tables.ts";

/** What a 429 without Retry-After asks for, in ms. */
const UNSAID_MS = 1_000;

/** A 429 is about the whole source, whatever it was asked: nobody asks it before the time it named. */
export async function slowSource(
  db: Kysely<Tables>,
  source: string,
  { kind, retryAfterMs = UNSAID_MS }: CollectionApiError,
): Promise<void> {
  if (kind !== "rate_limited") return;
  await sql`
    update source set opens_at = greatest(opens_at, clock_timestamp() + ${retryAfterMs}::float8 * interval '1 ms')
    where name = ${source}`.execute(db);
}
