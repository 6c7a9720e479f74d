import type { Kysely } from "kysely";
import { alarmsAbout } from "../alarms/alarm-definitions.ts";
import { type AuditedChange, readAuditLog } from "../alarms/audit.ts";
import { groupOpenAlarms, type KnownAlarm, listAlarms, type OpenAlarms } from "../alarms/list-alarms.ts";
import { type SchemaState, schemaState } from "../database/migrate.ts";
import { isReadOnly } from "../database/recording-problem.ts";
import { databaseTime, readPostgresVersion } from "../database/server.ts";
import type { Tables } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { programVersion } from "../kit/program-version.ts";
import type { Reconciliation } from "../kit/sources-file.ts";
import { lastCallbackAt } from "../receive/log/callbacks-about.ts";
import {
  type DailyCertificate,
  readDailyCertificates,
  readSweeps,
  type SweepState,
} from "../reconcile/last-runs.ts";
import { readUnprovenDays, type UnprovenDays } from "../reconcile/unproven-days.ts";
import type { ListedUpstream } from "../upstreams/change.ts";
import { listProcesses, type SeenProcess } from "../work/relay-process.ts";
import {
  type Backlog,
  readBacklog,
  readWaiting,
  readWaitingEvents,
  type WaitingEvents,
  type WaitingSource,
} from "./backlog.ts";
import { listUndelivered } from "./list-undelivered.ts";
import type { Need } from "./need.ts";
import { listPausable, type PausableWork } from "./pause.ts";
import { needsOf, sentenceOf } from "./status-meaning.ts";

/** The settings that matter here, if the caller has them. */
export interface StatusSettings {
  /** null: they name no source. */
  sources:
    | readonly { name: string; reconciliation: Reconciliation; collectionIds: readonly string[] }[]
    | null;
  /** RECONCILE_INTERVAL, in ms. */
  intervalMs: number;
}

/** A source or topic that is held up, and why. */
export interface Held extends ListedUpstream {
  work: PausableWork;
  /** Who paused it, if a person did. */
  actor: string | null;
}

/** Everything in the tables about how the relay is doing. */
export interface Facts {
  at: Date;
  settings: StatusSettings;
  /** The newest open alarms; `openAlarms` counts them all. */
  alarms: KnownAlarm[];
  openAlarms: OpenAlarms[];
  /** The open alarms of sources and topics. */
  upstreamAlarms: KnownAlarm[];
  /** Sources and topics that are paused, refused or backing off. */
  held: Held[];
  /** Sources that serve has known. */
  sources: string[];
  /** Confirmations that are not done. */
  backlog: Backlog;
  waiting: WaitingSource[];
  waitingEvents: WaitingEvents[];
  dead: { confirmations: number; events: number };
  quarantined: number;
  lastCallbackAt: Date | null;
  sweeps: SweepState[];
  certificates: DailyCertificate[];
  /** Days that the newest certificate which covers them does not prove. */
  unproven: UnprovenDays[];
  processes: SeenProcess[];
  /** Postgres takes no writes: what depends on rows that should have been written says nothing then. */
  readOnly: boolean;
  versions: { program: string; postgres: string; schema: SchemaState["state"] };
}

const ALARM_LIMIT = 20;

async function readFacts(db: Kysely<Tables>, settings: StatusSettings): Promise<Facts> {
  const alarms = await listAlarms(db, {}, ALARM_LIMIT);
  const [confirmers, publishers] = [await listPausable(db, "confirm"), await listPausable(db, "publish")];
  const dead = async (kind: "confirmation" | "event") =>
    (await listUndelivered({ db, list: "dead", selection: { filters: { kind } }, limit: 1 })).total;
  const at = await databaseTime(db);
  return {
    at,
    settings,
    alarms: alarms.items,
    openAlarms: await groupOpenAlarms(db, at),
    upstreamAlarms: (await listAlarms(db, { names: alarmsAbout("upstream") }, ALARM_LIMIT)).items,
    held: [...(await heldOf(db, "confirm", confirmers)), ...(await heldOf(db, "publish", publishers))],
    sources: confirmers.map(({ name }) => name),
    backlog: await readBacklog(db),
    waiting: await readWaiting(db),
    waitingEvents: await readWaitingEvents(db),
    dead: { confirmations: await dead("confirmation"), events: await dead("event") },
    quarantined: (await listUndelivered({ db, list: "quarantine", limit: 1 })).total,
    lastCallbackAt: await lastCallbackAt(db),
    sweeps: await readSweeps(db),
    certificates: await readDailyCertificates(db),
    unproven: await readUnprovenDays(db, settings.sources),
    processes: await listProcesses(db),
    readOnly: await isReadOnly(db),
    versions: {
      program: programVersion(),
      postgres: await readPostgresVersion(db),
      schema: (await schemaState(db, "relay")).state,
    },
  };
}

async function heldOf(
  db: Kysely<Tables>,
  work: PausableWork,
  upstreams: readonly ListedUpstream[],
): Promise<Held[]> {
  const held: Held[] = [];
  for (const upstream of upstreams.filter(({ state }) => state !== "closed")) {
    const paused = upstream.state === "paused" ? await lastPause(db, work, upstream.name) : undefined;
    held.push({ ...upstream, work, actor: paused?.actor ?? null });
  }
  return held;
}

async function lastPause(
  db: Kysely<Tables>,
  work: PausableWork,
  subject: string,
): Promise<AuditedChange | undefined> {
  const [entry] = await readAuditLog({ db, action: `pause.${work}`, subject, limit: 1 });
  return entry;
}

/** The first thing to look at when on call. */
export interface Status extends Facts {
  /** How the relay is doing, in one sentence. */
  sentence: string;
  needsPerson: boolean;
  /** What needs a person, each with what to do. */
  needs: Need[];
}

/** How the relay is doing, read in one snapshot; useful even when nothing has happened yet. */
export async function readStatus(db: Kysely<Tables>, settings: StatusSettings): Promise<Status> {
  const facts = await inSnapshot(db, (snapshot) => readFacts(snapshot, settings));
  const needs = needsOf(facts);
  return { sentence: sentenceOf(facts, needs), needsPerson: needs.length > 0, needs, ...facts };
}
