import type { Alarm } from "../alarms/alarms.ts";
import { failedWork } from "../database/recording-problem.ts";
import type { Worker } from "../kit/metrics.ts";
import { DAY_MS, HOUR_MS } from "../kit/time.ts";
import { type Loop, startLoop } from "../work/loop.ts";
import { BEAT_MS, type Problem, RelayProcess } from "../work/relay-process.ts";
import { Signal } from "../work/signal.ts";
import { noteSilence } from "../work/silent-processes.ts";
import type { WakeUps } from "../work/wake-up.ts";
import type { RelayParts } from "./compose.ts";
import type { Pass } from "./pass.ts";
import type { Passes } from "./passes.ts";

/** How often one look tells which loops have something to do, in ms. */
const LOOK_MS = 1_000;
const MINUTE_MS = 60_000;
/** People are told of work that has only failed for as long as so many leases last (G11). */
const LEASES_IN_VAIN = 2;
/** How often loops that the look wakes go round by themselves, in ms: nothing is waited for so long. */
const SELDOM_MS = 30 * MINUTE_MS;

interface LoopGiven {
  name: Worker;
  source?: string;
  pass: Pass;
  wake?: Signal;
  pollMs: number;
}

interface LoopsOptions {
  http: boolean;
  /** null without workers. */
  passes: Passes | null;
  wakes: WakeUps["signals"];
  /** Raised when others should hear whether this process can record. */
  recordingChanges: Signal;
}

/** Starts what one `serve` does by itself: it is seen by others and, as its part is, works or tells of silence. */
export function startLoops(parts: RelayParts, { http, passes, wakes, recordingChanges }: LoopsOptions) {
  const { db, alarms, database, serves, notifyPeople, log, metrics, lease } = parts;
  const loops: (LoopGiven & { wake: Signal; loop: Loop })[] = [];
  /** What fails while nothing can be recorded is told with that, and has its time again afterwards. */
  let troubledAt = Number.NEGATIVE_INFINITY;
  const whyFailing = (): Problem | null => {
    if (database.openAlarms.length > 0) troubledAt = performance.now();
    return database.whyFailing ?? whyStanding(loops, troubledAt, LEASES_IN_VAIN * lease.ms);
  };
  const presence = new RelayProcess(db, { ...{ http, workers: passes !== null, serves }, whyFailing });
  /** Raised where other work only fails, or does no longer. */
  const standingChanges = new Signal();
  let stood: string | undefined;
  /** Alarms of silent processes that nobody was told of yet. */
  const untold = new Set<Alarm & { raisedAt: Date }>();
  const silenceBegins = new Signal();
  const beat = async () => {
    const stands = whyFailing()?.worker;
    if (!(await presence.beat())) untold.clear();
    else
      for (const alarm of await noteSilence(db, alarms, { mayClose: passes !== null }))
        if (passes === null) untold.add({ ...alarm, raisedAt: new Date() });
    if (untold.size > 0) silenceBegins.raise();
    if (stands !== stood) standingChanges.raise();
    stood = stands;
    return BEAT_MS;
  };
  /**
   * Without workers people are told of silence at once, and again until they are: those of other processes may
   * be what has died, and a process that only takes callbacks may have no right to mark an alarm as told.
   */
  const tell = async () => {
    for (const alarm of untold) if (await notifyPeople?.(alarm)) untold.delete(alarm);
    return null;
  };
  const start = ({ wake = new Signal(), ...given }: LoopGiven) => {
    loops.push({ ...given, wake, loop: startLoop({ ...given, wake, log, metrics }) });
  };
  start({ name: "presence", pass: beat, wake: recordingChanges, pollMs: BEAT_MS });
  if (passes === null) start({ name: "tell", pass: tell, wake: silenceBegins, pollMs: BEAT_MS });
  else for (const given of workersOf(passes, wakes, standingChanges)) start(given);
  if (passes !== null) {
    const woken = loops.slice(1);
    const look = async () => {
      const found = await passes.look();
      if (found.takesCallbacks) database.noteAnswer();
      for (const { name, source = "", wake } of woken) {
        const due = name in found && found[name as keyof typeof found];
        if (due === true || (Array.isArray(due) && due.includes(source))) wake.raise();
      }
      return LOOK_MS;
    };
    start({ name: "look", pass: look, pollMs: LOOK_MS });
  }
  return {
    /** Resolves when no pass is under way any more. */
    stop: () => Promise.all(loops.map(({ loop }) => loop.stop())),
    /** Tells the others that it ends; if the database is away, they notice its silence. */
    leave: () => presence.leave().catch(() => undefined),
  };
}

/** The loops that have only failed for so long since then, and why the first does; null where none has. */
function whyStanding(
  loops: readonly { name: string; loop: Loop }[],
  sinceMs: number,
  longMs: number,
): Problem | null {
  const standing = loops.flatMap(({ name, loop: { failing } }) =>
    failing !== null && performance.now() - Math.max(failing.since, sinceMs) >= longMs
      ? [{ name, error: failing.error }]
      : [],
  );
  if (standing[0] === undefined) return null;
  const worker = [...new Set(standing.map(({ name }) => name))].join(", ");
  return { worker, ...failedWork(standing[0].error) };
}

const workersOf = (
  passes: Passes,
  { confirm, publish, reconcile }: WakeUps["signals"],
  standingChanges: Signal,
): LoopGiven[] => [
  { name: "confirm", pass: passes.confirm, wake: confirm, pollMs: SELDOM_MS },
  { name: "publish", pass: passes.publish, wake: publish, pollMs: SELDOM_MS },
  { name: "rescue", pass: passes.rescue, pollMs: SELDOM_MS },
  { name: "bring_forward", pass: passes.bringForward, pollMs: HOUR_MS },
  { name: "chores", pass: passes.chores, pollMs: MINUTE_MS },
  ...passes.lists.flatMap<LoopGiven>(({ source, sweep, certify }) => [
    { name: "sweep", source, pass: sweep, wake: reconcile.branch(), pollMs: SELDOM_MS },
    { name: "certify", source, pass: certify, pollMs: SELDOM_MS },
  ]),
  { name: "tidy", pass: passes.tidy, wake: standingChanges, pollMs: MINUTE_MS },
  { name: "replay", pass: passes.replay, pollMs: SELDOM_MS },
  { name: "tell", pass: passes.notify, pollMs: SELDOM_MS },
  { name: "retention", pass: passes.retention, pollMs: DAY_MS },
  { name: "partitions", pass: passes.partitions, pollMs: DAY_MS },
];
