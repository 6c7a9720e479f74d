import { readDailyCertificates, readSweeps } from "../pipeline/reconcile/index.ts";
import { type Alarms, alarmsAbout, listAlarms, noteLasting } from "../platform/alarms/index.ts";
import { type Database, databaseTime, inSnapshot } from "../platform/database/index.ts";
import { listFirstServed, listUpstreams, SOURCE } from "../platform/upstreams/index.ts";
import { clock, DAY_MS, numberOf } from "../platform/values/index.ts";
import { listProcesses } from "../platform/worker/index.ts";
import type { Facts } from "./status.ts";

/** After this many intervals without a finished sweep, something is wrong. */
const MISSED_INTERVALS = 3;
const SWEEP_TAKES_MS = 600_000;

/** Today's certificate is expected by this time of day (UTC), in ms. */
const CERTIFIED_BY_MS = 6 * 3_600_000;

interface Proofs {
  at: Date;
  /** RECONCILE_INTERVAL. */
  intervalMs: number;
  /** The collections of each source that is reconciled. */
  wanted: ReadonlyMap<string, readonly string[]>;
  sweeps: readonly { source: string; collectionId: string; finishedAt: Date | null; nextAt: Date | null }[];
  certificates: readonly { source: string; coversTo: Date; day: string }[];
  firstServed: readonly { source: string; at: Date | null }[];
}

/** The lists that were not read for too long, and the sources whose daily certificate is missing. Pure. */
function lateProofs({ at, intervalMs, wanted, sweeps, certificates, firstServed }: Proofs) {
  const timeoutMs = MISSED_INTERVALS * intervalMs + SWEEP_TAKES_MS;
  const servedAt = (source: string) => firstServed.find((one) => one.source === source)?.at ?? at;
  const lists = [...wanted].flatMap(([source, collectionIds]) =>
    collectionIds.flatMap((collectionId) => {
      const last = sweeps.find((one) => one.source === source && one.collectionId === collectionId);
      const readAt = last?.finishedAt ?? null;
      const since = readAt ?? last?.nextAt ?? servedAt(source);
      return +at - +since >= timeoutMs ? [{ source, collectionId, readAt }] : [];
    }),
  );
  const days = [...wanted.keys()].flatMap((source) => {
    const last = certificates.find((one) => one.source === source);
    const coversTo = last?.coversTo ?? servedAt(source);
    return +at - +coversTo > DAY_MS + CERTIFIED_BY_MS ? [{ source, day: last?.day ?? null }] : [];
  });
  return { lists, days };
}

/** Lists the gaps in the proof that no payment is missing (G10): of the settings' sources, or of all where they name none. Pure. */
export function unprovenIn(facts: Facts): string[] {
  const { settings, sources, sweeps, certificates, unproven } = facts;
  const ofSource = (name: string) => sweeps.filter(({ source }) => source === name);
  const known =
    settings.sources?.map(({ name, reconciliation, collectionIds }) => ({
      ...{ name, ids: reconciliation === "on" ? collectionIds : [] },
    })) ?? sources.map((name) => ({ name, ids: ofSource(name).map(({ collectionId }) => collectionId) }));
  const wanted = new Map(known.filter(({ ids }) => ids.length > 0).map(({ name, ids }) => [name, ids]));
  const { lists, days } = lateProofs({ ...facts, intervalMs: settings.intervalMs, wanted });
  const isRead = (source: string, id: string) =>
    ofSource(source).some(({ collectionId, finishedAt }) => collectionId === id && finishedAt !== null) &&
    !lists.some((late) => late.source === source && late.collectionId === id);
  const isCertified = (name: string) =>
    certificates.some(({ source }) => source === name) && !days.some(({ source }) => source === name);
  return [
    ...known.filter(({ ids }) => ids.length === 0).map(({ name }) => `source ${name} is not reconciled`),
    ...[...wanted].flatMap(([source, ids]) =>
      ids.filter((id) => !isRead(source, id)).map((id) => `the list of collection ${id} was not read lately`),
    ),
    ...unproven.map(({ source, days }) => `${numberOf(days, "day")} of source ${source} could not be proven`),
    ...[...wanted.keys()]
      .filter((name) => !isCertified(name))
      .map((name) => `source ${name} has no daily certificate yet`),
  ];
}

/**
 * Raises an alarm of each list that some process serves and none has read for long, and of each source without its
 * daily certificate, unless another alarm or the source's state says why; closes those that are over. Workers that run
 * for ten minutes had the time.
 */
export async function noteLateProofs(db: Database, alarms: Alarms, intervalMs: number): Promise<void> {
  const { open, sources, ...read } = await inSnapshot(db, async (snapshot) => ({
    at: await databaseTime(snapshot),
    processes: await listProcesses(snapshot),
    sweeps: await readSweeps(snapshot),
    certificates: await readDailyCertificates(snapshot),
    firstServed: await listFirstServed(snapshot),
    open: (await listAlarms(snapshot, { names: TELL }, ALL)).items,
    sources: await listUpstreams(snapshot, SOURCE),
  }));
  const runsLong = read.processes.some(
    ({ workers, lives, startedAt }) => workers && lives && +read.at - +startedAt > SWEEP_TAKES_MS,
  );
  // A process that has just come back from a long outage is still working on it.
  if (!runsLong) return;
  const wanted = new Map<string, readonly string[]>();
  for (const { serves } of read.processes)
    for (const [source, ids] of Object.entries(serves.sources ?? {}))
      if (ids.length > 0) wanted.set(source, [...new Set([...(wanted.get(source) ?? []), ...ids])]);
  const isTold = (name: string, source: string, subject: string) =>
    open.some((alarm) => alarm.name === name && alarm.source === source && alarm.subject === subject);
  const isHeld = (source: string) => sources.some(({ name, state }) => name === source && state !== "closed");
  const { lists, days } = lateProofs({ ...read, intervalMs, wanted });
  await noteLasting(
    { db, alarms },
    "sweep_late",
    lists
      .filter(({ source, collectionId }) => !isHeld(source) && !isTold("sweep_failing", source, collectionId))
      .map(({ source, collectionId, readAt }) => ({
        ...{ source, subject: collectionId },
        detail: `The list of collection ${collectionId} was ${readAt === null ? "never read" : `last read at ${clock(readAt)}`}.`,
      })),
  );
  await noteLasting(
    { db, alarms },
    "certificate_late",
    days
      .filter(({ source }) => !isTold("certificate_failing", source, source))
      .map(({ source, day }) => ({
        ...{ source, subject: source },
        detail: `Source ${source} has ${day === null ? "no daily certificate yet" : `no daily certificate since ${day}`}.`,
      })),
  );
}

const TELL = [...alarmsAbout("collection"), ...alarmsAbout("certificate")];

/** More than there ever are lists and sources. */
const ALL = 10_000;
