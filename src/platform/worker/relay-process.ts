import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { type RawBuilder, sql } from "kysely";
import { type Alarm, type Alarms, noteLasting, someAreOpen } from "../alarms/index.ts";
import {
  command,
  type Database,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  typed,
  type Why,
} from "../database/index.ts";
import { programVersion } from "../process/index.ts";
import { clock, newId } from "../values/index.ts";

/** How often a process says that it lives, in ms. */
export const HEARTBEAT_MS = 5_000;

/** A Lambda function says it each time its schedule runs, once a minute. */
const LAMBDA_HEARTBEAT_MS = 60_000;

/** A process whose heartbeat is missing for this many intervals is taken for dead. */
const SILENT_BEATS = 3;

const knownLately = sql`
  seen_at > clock_timestamp() - ${sql.lit(SILENT_BEATS)} * beat_ms * interval '1 ms'`;

/** After this long, a silent process is of no interest any more. */
const FORGOTTEN = sql`interval '1 day'`;

/** The names in a process's settings. */
export interface Served {
  /** The collections of each source. */
  sources: Readonly<Record<string, readonly string[]>>;
  topics: readonly string[];
}

/** The report of a process about itself, for the others. */
interface Presence {
  http: boolean;
  workers: boolean;
  serves: Served;
  /** The function whose containers are all one process; this process alone when left out. */
  lambda?: { name: string; version: string };
  /** The fault of this process at the moment; always null, when left out. */
  whyFailing?: () => Problem | null;
}

/** Why a process cannot do something, though Postgres answers. */
export interface Problem extends Why {
  /** The work that only fails; left out where callbacks cannot be recorded. */
  worker?: string | undefined;
}

type Heartbeat = Pick<Presence, "http" | "workers" | "serves"> & {
  id: string;
  host: string;
  version: string;
  heartbeatMs: number;
  why: Problem | null;
};

const writeHeartbeat = new Statement({ silent: returned.boolean }, ({ value }: Slots<Heartbeat>) => {
  const why = value(({ why }) => (why === null ? null : JSON.stringify(why)));
  return sql`
    with forgotten as (delete from relay_process where seen_at < clock_timestamp() - ${FORGOTTEN})
    insert into relay_process (id, pid, http, workers, host, version, beat_ms, serves, recording_problem)
    values (${value(({ id }) => id)}, ${value(() => process.pid)}, ${value(({ http }) => http)},
      ${value(({ workers }) => workers)}, ${value(({ host }) => host)}, ${value(({ version }) => version)},
      ${value(({ heartbeatMs }) => heartbeatMs)}, ${value(({ serves }) => JSON.stringify(serves))}, ${why})
    on conflict (id) do update set seen_at = clock_timestamp(), version = excluded.version,
      pid = excluded.pid, beat_ms = excluded.beat_ms, serves = excluded.serves,
      recording_problem = excluded.recording_problem
    returning exists (select from relay_process where not (${knownLately}))
      or ${someAreOpen("silent_process")} as silent`;
});

/** The row of this process, by which others see that it lives. */
export class RelayProcess {
  readonly #db: Database;
  readonly #id: string;
  readonly #does: Presence;
  #left = false;

  constructor(db: Database, does: Presence) {
    this.#db = db;
    this.#does = does;
    this.#id = does.lambda === undefined ? newId() : idOf(does.lambda.name);
  }

  /**
   * To be called every `HEARTBEAT_MS`, and when its report has changed.
   * @returns whether another process is silent, or was and its alarm is still open.
   */
  async heartbeat(): Promise<boolean> {
    if (this.#left) return false;
    const { http, workers, serves, lambda, whyFailing = () => null } = this.#does;
    const { name: host, version } = lambda ?? { name: hostname(), version: programVersion() };
    const heartbeatMs = lambda === undefined ? HEARTBEAT_MS : LAMBDA_HEARTBEAT_MS;
    const said = { id: this.#id, http, workers, host, version, heartbeatMs, serves, why: whyFailing() };
    const [row] = await writeHeartbeat.execute(this.#db, said);
    return row?.silent === true;
  }

  /** Takes the row away: a process that stops in good order is not taken for dead. */
  async leave(): Promise<void> {
    this.#left = true;
    await deleteProcess(this.#db, this.#id);
  }
}

const deleteProcess = command((id: string) => sql`delete from relay_process where id = ${id}`);

/**
 * A table: the sources and topics of each process that has not announced its stop, and of this one, as `serves`. A
 * process that fell silent counts until it is forgotten: it may only be held up.
 * @param mine yields those of this process, as JSON
 */
export const servedByAny = (mine: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select serves from relay_process union all select ${mine}::jsonb)`;

/** The same for each container of a function, which come and go without a word. */
function idOf(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex");
  const [version, variant] = [`8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [hash.slice(0, 8), hash.slice(8, 12), version, variant, hash.slice(20, 32)].join("-");
}

interface SeenProcess {
  host: string;
  pid: number;
  version: string;
  http: boolean;
  workers: boolean;
  startedAt: Date;
  seenAt: Date;
  /** Of a function of Lambda: those that take callbacks there say nothing of themselves. */
  onLambda: boolean;
  /** Sent a heartbeat lately. A process without one died or hangs: it did not announce its stop. */
  lives: boolean;
  serves: Served;
  /** null while it can do all. */
  recordingProblem: Problem | null;
}

/** The processes that did not announce their stop, those with the latest heartbeat first; at most 100. */
export const listProcesses = (db: Database): Promise<SeenProcess[]> => selectProcesses(db).execute();

const selectProcesses = query((db) =>
  db
    .selectFrom("relay_process")
    .select(["host", "pid", "version", "http", "workers"])
    .select(["started_at as startedAt", "seen_at as seenAt"])
    .select(typed(returned.boolean, knownLately).as("lives"))
    .select(typed(returned.boolean, sql`beat_ms = ${sql.lit(LAMBDA_HEARTBEAT_MS)}`).as("onLambda"))
    .select(typed(returned.json<Served>(), sql`serves`).as("serves"))
    .select(typed(nullable(returned.json<Problem>()), sql`recording_problem`).as("recordingProblem"))
    .orderBy("seen_at", "desc")
    .limit(100),
);

/** For so long a silent process is reported while none that lives serves the same sources, in ms. */
const SILENT_TOLD_MS = 600_000;

/** Work that a process did which fell silent, and that none which lives does. */
interface UndoneWork {
  /** Names it: the duties without a process, or the host. */
  subject: string;
  what: string;
}

const DUTIES = [
  { does: "workers", what: "confirms and publishes" },
  { does: "http", what: "takes callbacks" },
] as const;

/** The work that living processes try in vain. */
const standingIn = (processes: readonly Pick<SeenProcess, "lives" | "recordingProblem">[]) =>
  processes.flatMap(({ lives, recordingProblem: why }) =>
    lives && why?.worker !== undefined ? [{ ...why, worker: why.worker }] : [],
  );

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
    return [{ subject: duties.join(" and "), what }];
  }
  return silent
    .filter(({ seenAt }) => +at - +seenAt < SILENT_TOLD_MS)
    .map(({ host, pid, seenAt }) => ({
      subject: `${host} (pid ${pid})`,
      what: `the process on ${host} (pid ${pid}) has been silent since ${clock(seenAt)}, and no other serves the same`,
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
  await noteLasting({ db, alarms }, "work_failing", said.length > 0 ? [failing] : []);
}

const doesWorkOf = (living: SeenProcess, silent: SeenProcess): boolean =>
  (living.http || !silent.http) &&
  (living.workers || !silent.workers) &&
  Object.keys(silent.serves.sources ?? {}).every((name) => name in (living.serves.sources ?? {}));

/**
 * Raises an alarm of each process that fell silent while none does its work, and closes those that are over. Every
 * living process checks, since the one in charge could be the dead one.
 * @returns the alarms that it raised.
 */
export async function noteSilence(db: Database, alarms: Alarms): Promise<readonly Alarm[]> {
  const silent = undoneWork(await listProcesses(db), new Date()).map(({ subject, what }) => ({
    ...{ source: "", subject },
    detail: `${what[0]?.toUpperCase()}${what.slice(1)}.`,
  }));
  return await noteLasting({ db, alarms }, "silent_process", silent);
}
