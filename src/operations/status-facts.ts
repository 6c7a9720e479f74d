import { lastCallbackAt } from "../pipeline/receive/index.ts";
import { readDailyCertificates, readSweeps, readUnprovenDays } from "../pipeline/reconcile/index.ts";
import { groupOpenAlarms, listAlarms } from "../platform/alarms/index.ts";
import { readAuditLog } from "../platform/audit/index.ts";
import {
  type Database,
  databaseTime,
  inSnapshot,
  isReadOnly,
  readPostgresVersion,
  schemaState,
} from "../platform/database/index.ts";
import { programVersion } from "../platform/process/index.ts";
import { type ListedUpstream, listFirstServed } from "../platform/upstreams/index.ts";
import { listProcesses } from "../platform/worker/index.ts";
import { readBacklog, readWaiting } from "./backlog.ts";
import { listPausable } from "./pause.ts";
import type { Facts, Held, PausableWork, Status, StatusSettings } from "./status.ts";
import { assess } from "./status-meaning.ts";
import { listUndelivered } from "./undelivered.ts";

const ALARM_LIMIT = 20;

async function readFacts(db: Database, settings: StatusSettings): Promise<Facts> {
  const alarms = await listAlarms(db, {}, ALARM_LIMIT);
  const [confirmers, publishers] = [await listPausable(db, "confirm"), await listPausable(db, "publish")];
  const dead = async (kind: "confirmation" | "event") =>
    (await listUndelivered({ db, list: "dead", selection: { filters: { kind } }, limit: 1 })).total;
  const at = await databaseTime(db);
  const waiting = await readWaiting(db);
  return {
    at,
    settings,
    alarms: alarms.items,
    openAlarms: await groupOpenAlarms(db, at),
    held: [...(await heldOf(db, "confirm", confirmers)), ...(await heldOf(db, "publish", publishers))],
    sources: confirmers.map(({ name }) => name),
    firstServed: await listFirstServed(db),
    backlog: await readBacklog(db, waiting),
    waiting: waiting.payments.map(({ source, count, oldestSeconds }) => ({ source, count, oldestSeconds })),
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
  db: Database,
  work: PausableWork,
  upstreams: readonly ListedUpstream[],
): Promise<Held[]> {
  const held: Held[] = [];
  for (const upstream of upstreams.filter(({ state }) => state !== "closed")) {
    const by = { action: `pause.${work}`, subject: upstream.name, limit: 1 };
    const [pause] = upstream.state === "paused" ? await readAuditLog({ db, ...by }) : [];
    held.push({ ...upstream, work, actor: pause?.actor ?? null });
  }
  return held;
}

export async function readStatus(db: Database, settings: StatusSettings): Promise<Status> {
  const facts = await inSnapshot(db, (snapshot) => readFacts(snapshot, settings));
  return { ...assess(facts), ...facts };
}
