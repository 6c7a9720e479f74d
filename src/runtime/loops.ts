import type { Alarm } from "../platform/alarms/index.ts";
import { failedWork } from "../platform/database/index.ts";
import {
  HEARTBEAT_MS,
  type Loop,
  noteSilence,
  type Problem,
  RelayProcess,
  Signal,
  startLoop,
  type Wakes,
} from "../platform/worker/index.ts";
import type { RelayParts } from "./compose.ts";
import type { BoundJob, Jobs } from "./jobs.ts";
import { pollForWork } from "./poll.ts";

/** How often one poll finds which jobs are due, in ms. */
const POLL_MS = 1_000;
/** People are notified of work that has only failed for as long as so many leases last (nothing stands still, G11). */
const LEASES_IN_VAIN = 2;

interface LoopGiven extends Pick<BoundJob, "source" | "run" | "everyMs"> {
  name: string;
  wake?: Signal;
}

interface LoopsOptions {
  http: boolean;
  /** null without workers. */
  jobs: Jobs | null;
  wakes: Wakes;
}

/** Starts the loops of one `serve`: it is seen by others and, as its part is, works or reports silence. */
export function startLoops(parts: RelayParts, { http, jobs, wakes }: LoopsOptions) {
  const { db, alarms, database, serves, notifyPeople, log, metrics, lease } = parts;
  const loops: (LoopGiven & { wake: Signal; loop: Loop })[] = [];
  /**
   * The last time when nothing could be recorded: loops that fail then are reported with that, and have their full
   * time again afterwards.
   */
  let troubledAt = Number.NEGATIVE_INFINITY;
  const whyFailing = (): Problem | null => {
    if (database.openAlarms.length > 0) troubledAt = performance.now();
    return database.whyFailing ?? whyFailingLong(loops, troubledAt, LEASES_IN_VAIN * lease.ms);
  };
  const presence = new RelayProcess(db, { ...{ http, workers: jobs !== null, serves }, whyFailing });
  /** Raised where other work only fails, or does no longer. */
  const failingChanges = new Signal();
  let lastFailing: string | undefined;
  /** Alarms of silent processes that people were not notified of yet. */
  const unnotified = new Set<Alarm & { raisedAt: Date }>();
  const silenceBegins = new Signal();
  const heartbeat = async () => {
    const failing = whyFailing()?.worker;
    if (!(await presence.heartbeat())) unnotified.clear();
    else
      for (const alarm of await noteSilence(db, alarms))
        if (jobs === null) unnotified.add({ ...alarm, raisedAt: new Date() });
    if (unnotified.size > 0) silenceBegins.raise();
    if (failing !== lastFailing) failingChanges.raise();
    lastFailing = failing;
    return HEARTBEAT_MS;
  };
  /**
   * Without workers people are notified of silence at once, and again until they are: the processes that would do
   * it may be the dead ones.
   */
  const notify = async () => {
    for (const alarm of unnotified) if (await notifyPeople?.(alarm)) unnotified.delete(alarm);
    return null;
  };
  const start = ({ wake = new Signal(), ...given }: LoopGiven) => {
    loops.push({ ...given, wake, loop: startLoop({ ...given, wake, log, metrics }) });
  };
  start({ name: "presence", run: heartbeat, everyMs: HEARTBEAT_MS });
  if (jobs === null) start({ name: "tell", run: notify, wake: silenceBegins, everyMs: HEARTBEAT_MS });
  else {
    const poll = pollForWork(parts.hot, parts.sources);
    const polled = jobs.jobs.map((job) => {
      const shared = job.wake && wakes[job.wake];
      // Each source is woken, and waits, by itself.
      const wake = (job.source === undefined ? shared : shared?.branch()) ?? new Signal();
      start({ ...job, wake: job.name === "tidy" ? failingChanges : wake });
      return { ...job, wake };
    });
    const wakeDue = async () => {
      const found = await poll();
      if (found.takesCallbacks) database.noteAnswer();
      for (const { name, source, wake } of polled) if (found.isDue(name, source)) wake.raise();
      return POLL_MS;
    };
    start({ name: "look", run: wakeDue, everyMs: POLL_MS });
  }
  return {
    /** Resolves when no job run is under way any more. */
    stop: () => Promise.all(loops.map(({ loop }) => loop.stop())),
    /** Announces its end to the others; if the database is away, they notice its silence. */
    leave: () => presence.leave().catch(() => undefined),
  };
}

/** The loops that have only failed for so long since then, and why the first does; null if all work. */
function whyFailingLong(
  loops: readonly { name: string; loop: Loop }[],
  sinceMs: number,
  longMs: number,
): Problem | null {
  const failing = loops.flatMap(({ name, loop }) =>
    loop.failing !== null && performance.now() - Math.max(loop.failing.since, sinceMs) >= longMs
      ? [{ name, error: loop.failing.error }]
      : [],
  );
  if (failing[0] === undefined) return null;
  const worker = [...new Set(failing.map(({ name }) => name))].join(", ");
  return { worker, ...failedWork(failing[0].error) };
}
