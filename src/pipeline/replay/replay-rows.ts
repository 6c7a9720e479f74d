import { type RawBuilder, sql, type Transaction, type UpdateObject } from "kysely";
import { type Alarm, raiseAlarms } from "../../platform/alarms/index.ts";
import {
  clockTime,
  command,
  type Database,
  nullable,
  query,
  returned,
  type Tables,
  typed,
} from "../../platform/database/index.ts";
import { notFoundError } from "../../platform/errors/index.ts";
import { newId } from "../../platform/values/index.ts";
import { type Lease, LeasedRows, LeaseLost, leaseEnd } from "../../platform/worker/index.ts";
import { takeBackReplayed } from "../publish/index.ts";
import type {
  LeasedReplay,
  Position,
  Replay,
  ReplayFilters,
  ReplayKind,
  ReplayState,
  ReplayTarget,
} from "./replay.ts";
import { countOutcomes } from "./select-events.ts";

const COLUMNS = [
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

const selectReplays = query((db, limit: number) =>
  db.selectFrom("replay").select(COLUMNS).orderBy("requested_at", "desc").orderBy("id", "desc").limit(limit),
);

/** Newest first. */
export const listReplays = ({ db, limit = 20 }: { db: Database; limit?: number }): Promise<Replay[]> =>
  selectReplays(db, limit).execute();

const selectReplay = query((db, id: string) => db.selectFrom("replay").select(COLUMNS).where("id", "=", id));

export const findReplay = async ({ db, id }: { db: Database; id: string }): Promise<Replay | null> =>
  (await selectReplay(db, id).executeTakeFirst()) ?? null;

/** @throws RelayError when it does not exist. */
export async function mustFindReplay(options: { db: Database; id: string }): Promise<Replay> {
  const replay = await findReplay(options);
  if (replay === null)
    throw notFoundError(`There is no replay ${options.id}.`, { operation: "listReplays", args: {} });
  return replay;
}

const HELD_COLUMNS = [
  ...COLUMNS,
  "queued",
  typed(returned.uuid, sql`lease_token`).as("leaseToken"),
  typed(nullable(returned.json<Position>()), sql`position`).as("position"),
] as const;

const IS_FREE = sql<boolean>`coalesce(claimed_until < clock_timestamp(), true)`;

/** A condition: a replay waits for a process, and no other of its kind is under way. */
export const replaysWait: RawBuilder<boolean> = sql`
  exists (select from replay as one where state = 'running' and ${IS_FREE}
    and not exists (select from replay as held
      where held.kind = one.kind and held.state = 'running' and held.claimed_until >= clock_timestamp()))`;

const claim = query((db, kind: ReplayKind, lease: Lease) =>
  db
    .updateTable("replay")
    .set({
      lease_token: newId(),
      claimed_until: endOf(lease),
      started_at: sql`coalesce(started_at, clock_timestamp())`,
    })
    .where("id", "=", ({ selectFrom }) =>
      selectFrom("replay")
        .select("id")
        .where("state", "=", "running")
        .where("kind", "=", kind)
        .orderBy("requested_at")
        .orderBy("id")
        .limit(1)
        .forUpdate(),
    )
    .where(IS_FREE)
    .returning(HELD_COLUMNS),
);

/**
 * Takes the lease of the oldest replay of a kind: only one runs at a time, so that live traffic never waits
 * behind more than one.
 * @returns null when there is none, or another process holds it.
 */
export const claimReplay = async (
  db: Database,
  kind: ReplayKind,
  lease: Lease,
): Promise<LeasedReplay | null> => (await claim(db, kind, lease).executeTakeFirst()) ?? null;

interface ProgressMade {
  queued?: number;
  handled?: number;
  opened?: number;
  sent?: number;
  refused?: number;
  /** Unchanged if omitted. */
  position?: Position | null;
}

/** @throws LeaseLost, which rolls back the transaction unless the caller catches it. */
export async function saveProgress(
  trx: Transaction<Tables> | Database,
  held: LeasedReplay,
  { queued = 0, handled = 0, opened = 0, sent = 0, refused = 0, position = held.position }: ProgressMade,
): Promise<LeasedReplay> {
  return await updateLeased(trx, held, {
    queued: sql`queued + ${queued}`,
    handled: sql`handled + ${handled}`,
    opened: sql`opened + ${opened}`,
    sent: sql`sent + ${sent}`,
    refused: sql`refused + ${refused}`,
    position: position === null ? null : JSON.stringify(position),
    waits_for: null,
  });
}

/** Saves a replay's total counts. @throws LeaseLost */
export const saveTotals = (
  db: Database,
  held: LeasedReplay,
  totals: Pick<LeasedReplay, "handled" | "sent" | "refused">,
) => updateLeased(db, held, totals);

/** @throws LeaseLost */
export const saveWaiting = (db: Database, held: LeasedReplay, why: string | null) =>
  updateLeased(db, held, { waits_for: why });

/** @throws LeaseLost */
export const extendReplay = (db: Database, held: LeasedReplay, lease: Lease) =>
  updateLeased(db, held, { claimed_until: endOf(lease) });

const endOf = ({ ms }: Lease) => typed(returned.time, leaseEnd(sql`${ms}`));

export const replayLeases = new LeasedRows("replay", "running");

export const NO_LEASE = { lease_token: null, claimed_until: null, waits_for: null } as const;

/** Gives the lease back, so that another process can continue. @throws LeaseLost */
export const releaseReplay = (db: Database, held: LeasedReplay) => updateLeased(db, held, NO_LEASE);

/** @throws LeaseLost */
export const endReplay = (
  db: Database,
  held: LeasedReplay,
  state: Exclude<ReplayState, "running" | "cancelled">,
  lastError: string | null = null,
) =>
  updateLeased(db, held, { state, finished_at: sql`clock_timestamp()`, last_error: lastError, ...NO_LEASE });

const raise = command(
  ({ name, source, subject, detail }: Alarm) =>
    sql`${raiseAlarms(sql`
    select ${name}::text as name, ${source}::text as source, ${subject}::text as subject,
      ${detail}::text as detail`)}`,
);

/** Marks a replay as failed and raises the alarm in the same transaction (G13). @throws LeaseLost */
export function failReplay(db: Database, held: LeasedReplay, why: string, alarm: Alarm) {
  return db.transaction().execute(async (trx) => {
    const failed = await endReplay(trx, held, "failed", why);
    await withdrawEvents(trx, held);
    await raise(trx, alarm);
    return failed;
  });
}

/**
 * Withdraws a stopping replay's events from the outbox; resumed, it continues with the first of them. An
 * event on its way at this moment is kept once it is accepted.
 */
export async function withdrawEvents(
  trx: Transaction<Tables>,
  { id, kind }: Pick<Replay, "id" | "kind">,
): Promise<void> {
  if (kind !== "events") return;
  const [first] = await takeBackReplayed.execute(trx, id);
  const totals = await countOutcomes(trx, id);
  await updateReplay(trx, id, {
    ...totals,
    queued: totals.handled,
    ...(first === undefined ? {} : { position: JSON.stringify(first) }),
  }).execute();
}

export const updateReplay = query(
  (db, id: string, values: UpdateObject<Tables, "replay">) =>
    db.updateTable("replay").set(values).where("id", "=", id),
  "",
  { state: "cancelled", finished_at: clockTime, ...NO_LEASE },
);

const updateOurs = query(
  (db, { id, leaseToken }: Pick<LeasedReplay, "id" | "leaseToken">, values: UpdateObject<Tables, "replay">) =>
    db
      .updateTable("replay")
      .set(values)
      .where("id", "=", id)
      .where("lease_token", "=", leaseToken)
      .where("state", "=", "running")
      .returning(HELD_COLUMNS),
  { id: "", leaseToken: "" },
  { queued: 0, handled: 0, opened: 0, sent: 0, refused: 0, position: null, waits_for: null },
);

async function updateLeased(
  db: Database,
  held: LeasedReplay,
  values: UpdateObject<Tables, "replay">,
): Promise<LeasedReplay> {
  const row = await updateOurs(db, held, values).executeTakeFirst();
  if (row === undefined) throw new LeaseLost(`the replay ${held.id} is no longer held`);
  return row;
}
