import { type Kysely, sql } from "kysely";
import { typed } from "../database/expressions.ts";
import { returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { invoicesOf } from "../publish/read-events.ts";
import type { Replay, ReplayFilters, ReplayTarget } from "./replay.ts";

/** The columns of `replay` that `Replay` has. */
export const COLUMNS = [
  "id",
  "kind",
  "state",
  typed(returned.json<ReplayFilters>(), sql`filters`).as("filters"),
  typed(returned.json<ReplayTarget>(), sql`target`).as("target"),
  "rate",
  "requested_by as requestedBy",
  "requested_at as requestedAt",
  "started_at as startedAt",
  "finished_at as finishedAt",
  "matching",
  "handled",
  "opened",
  "sent",
  "refused",
  typed(returned.boolean, sql`coalesce(claimed_until > clock_timestamp(), false)`).as("underWay"),
  "waits_for as waitsFor",
  "last_error as lastError",
] as const;

/** Newest first. */
export async function listReplays({
  db,
  limit = 20,
}: {
  db: Kysely<Tables>;
  limit?: number;
}): Promise<Replay[]> {
  return await db
    .selectFrom("replay")
    .select(COLUMNS)
    .orderBy("requested_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

export async function findReplay({ db, id }: { db: Kysely<Tables>; id: string }): Promise<Replay | null> {
  return (await db.selectFrom("replay").select(COLUMNS).where("id", "=", id).executeTakeFirst()) ?? null;
}

/** @throws RelayError when it does not exist. */
export async function mustFindReplay(options: { db: Kysely<Tables>; id: string }): Promise<Replay> {
  const replay = await findReplay(options);
  if (replay === null)
    throw new RelayError(`There is no replay ${options.id}. List them with: invoice-relay replay list`, {
      code: "not_found",
    });
  return replay;
}

/** An entry of a replay that SNS refused. */
export interface Refusal {
  eventId: string;
  source: string;
  /** null when its event is gone. */
  invoiceId: string | null;
  error: string;
}

/** The entries of one replay that SNS refused. */
export async function listRefusals({
  db,
  id,
  limit = 100,
}: {
  db: Kysely<Tables>;
  id: string;
  limit?: number;
}): Promise<Refusal[]> {
  const refusals = await db
    .selectFrom("replay_refusal")
    .select(["event_id as id", "source", "error"])
    .where("replay_id", "=", id)
    .orderBy("refused_at")
    .orderBy("event_id")
    .limit(limit)
    .execute();
  const known = await invoicesOf(db, refusals);
  return refusals.map((refusal) => ({
    eventId: refusal.id,
    source: refusal.source,
    invoiceId:
      known.find((event) => event.id === refusal.id && event.source === refusal.source)?.invoiceId ?? null,
    error: refusal.error,
  }));
}
