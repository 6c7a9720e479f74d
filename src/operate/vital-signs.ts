import type { Kysely } from "kysely";
import type { AlarmName } from "../alarms/alarms.ts";
import { countOpenAlarms } from "../alarms/list-alarms.ts";
import { countUndeliveredConfirmations } from "../confirm/queue/read-confirmations.ts";
import type { Tables } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { countDeadEvents } from "../publish/outbox.ts";
import {
  type DailyCertificate,
  readDailyCertificates,
  readSweeps,
  type SweepState,
} from "../reconcile/last-runs.ts";
import { type ListedUpstream, listUpstreams } from "../upstreams/change.ts";
import { SOURCE, TOPIC } from "../upstreams/upstream-kind.ts";
import { type Backlog, readBacklog } from "./backlog.ts";

/** The sources and topics in the settings of this process, for which it reports. */
export interface Watched {
  sources: readonly { name: string; collectionIds: readonly string[] }[];
  topics: readonly string[];
}

/** Everything that monitoring reads from Postgres. */
export interface VitalSigns {
  backlog: Backlog;
  alarms: { name: AlarmName; count: number }[];
  dead: { confirmation: number; event: number };
  quarantined: number;
  sources: ListedUpstream[];
  topics: ListedUpstream[];
  sweeps: SweepState[];
  certificates: DailyCertificate[];
}

/** Read in one snapshot. */
export const readVitalSigns = (db: Kysely<Tables>, watched: Watched): Promise<VitalSigns> =>
  inSnapshot(db, (snapshot) => readAll(snapshot, watched));

async function readAll(db: Kysely<Tables>, watched: Watched): Promise<VitalSigns> {
  const names = watched.sources.map(({ name }) => name);
  const collections = watched.sources.flatMap(({ name: source, collectionIds }) =>
    collectionIds.map((collectionId) => ({ source, collectionId })),
  );
  const { dead, quarantined } = await countUndeliveredConfirmations(db);
  return {
    backlog: await readBacklog(db),
    alarms: await countOpenAlarms(db),
    dead: { confirmation: dead, event: await countDeadEvents(db) },
    quarantined,
    sources: (await listUpstreams(db, SOURCE)).filter(({ name }) => names.includes(name)),
    topics: (await listUpstreams(db, TOPIC)).filter(({ name }) => watched.topics.includes(name)),
    sweeps: await readSweeps(db, collections),
    certificates: await readDailyCertificates(db, names),
  };
}
