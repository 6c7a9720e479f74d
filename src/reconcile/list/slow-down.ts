import type { Kysely } from "kysely";
import type { Alarms } from "../../database/alarms.ts";
import type { Tables } from "../../database/tables.ts";
import { Upstream } from "../../upstreams/upstream.ts";
import { SOURCE } from "../../upstreams/upstream-kind.ts";
import type { ListUnreadable } from "./list-unreadable.ts";

/** A 429 applies to the whole source: nothing is asked before the time that it gives. */
export async function slowDown(
  db: Kysely<Tables>,
  alarms: Alarms,
  name: string,
  { refusal }: ListUnreadable,
): Promise<void> {
  if (refusal.kind !== "rate_limited") return;
  const { retryAfterMs, error } = refusal;
  await new Upstream({ db, alarms, kind: SOURCE, name }).note({ kind: "slow_down", retryAfterMs, error });
}
