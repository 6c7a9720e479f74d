import { type Alarm, type Alarms, noteLasting } from "../alarms/index.ts";

import type { Database } from "../database/index.ts";
import { clock } from "../values/index.ts";
import { listProcesses, type SeenProcess } from "./relay-process.ts";

/** For so long a silent process is told of while none that lives serves the same sources, in ms. */
const SILENT_TOLD_MS = 600_000;

/** Work that a process did which fell silent, and that none which lives does. */
interface UndoneWork {
  /** Names it: the duties that nobody has, or the host. */
  subject: string;
  what: string;
  seenAt: Date;
  /** Whether nobody confirms and publishes. */
  stopsWork: boolean;
}

const DUTIES = [
  { does: "workers", what: "confirms and publishes" },
  { does: "http", what: "takes callbacks" },
] as const;

/** What processes that live try in vain. */
export const standingIn = (processes: readonly Pick<SeenProcess, "lives" | "recordingProblem">[]) =>
  processes.flatMap(({ lives, recordingProblem: why }) =>
    lives && why?.worker !== undefined ? [{ ...why, worker: why.worker }] : [],
  );

/** @param worker the names of the loops that only fail. */
export const keepsPayments = (worker: string): boolean => /\b(look|confirm|publish|rescue)\b/.test(worker);

/** A process that ended without a word is trouble only while none that lives does its work. Pure. */
function undoneWork(processes: readonly SeenProcess[], at: Date): UndoneWork[] {
  const living = processes.filter(({ lives }) => lives);
  const silent = processes.filter((one) => !one.lives && !living.some((other) => doesWorkOf(other, one)));
  const undone = DUTIES.flatMap(({ does, what }) => {
    const last = silent.find((one) => one[does]);
    return last === undefined || living.some((one) => one[does]) ? [] : [{ last, does, what }];
  });
  if (undone[0] !== undefined) {
    const { host, pid, seenAt } = undone[0].last;
    const what =
      `no process ${undone.map((duty) => duty.what).join(", and none ")}: the one on ${host} (pid ${pid}) has been ` +
      `silent since ${clock(seenAt)}`;
    const duties = undone.map(({ does }) => does);
    return [{ subject: duties.join(" and "), what, seenAt, stopsWork: duties.includes("workers") }];
  }
  return silent
    .filter(({ seenAt }) => +at - +seenAt < SILENT_TOLD_MS)
    .map(({ host, pid, seenAt }) => ({
      subject: `${host} (pid ${pid})`,
      what: `the process on ${host} (pid ${pid}) has been silent since ${clock(seenAt)}, and no other serves the same`,
      seenAt,
      stopsWork: false,
    }));
}

/** Raises an alarm while a process says that its work only fails, and closes it when none does. */
export async function noteFailingWork(db: Database, alarms: Alarms): Promise<void> {
  const said = standingIn(await listProcesses(db)).map(
    ({ worker, reason, action }) => `${worker}: ${reason}. ${action}`,
  );
  const failing = {
    source: "",
    subject: "workers",
    detail: `${[...new Set(said)].join(" ")} It goes on by itself then.`,
  };
  await noteLasting({ db, alarms }, "work_failing", said.length > 0 ? [failing] : [], { mayClose: true });
}

const doesWorkOf = (living: SeenProcess, silent: SeenProcess): boolean =>
  (living.http || !silent.http) &&
  (living.workers || !silent.workers) &&
  Object.keys(silent.serves.sources ?? {}).every((name) => name in (living.serves.sources ?? {}));

/**
 * Raises an alarm of each process that fell silent while none does its work, and closes those that are over.
 * Every process that lives does, since the one that would tell may be the dead one.
 * @param mayClose false where a process only takes callbacks: it may have no right to end an alarm.
 * @returns those that it raised.
 */
export async function noteSilence(
  db: Database,
  alarms: Alarms,
  { mayClose }: { mayClose: boolean },
): Promise<readonly Alarm[]> {
  const silent = undoneWork(await listProcesses(db), new Date()).map(({ subject, what }) => ({
    ...{ source: "", subject },
    detail: `${what[0]?.toUpperCase()}${what.slice(1)}.`,
  }));
  return await noteLasting({ db, alarms }, "silent_process", silent, { mayClose });
}
