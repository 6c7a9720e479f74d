import { z } from "zod";
import { audit, type ByHand } from "../platform/audit/index.ts";
import { type Database, databaseTime } from "../platform/database/index.ts";
import { failpoint } from "../platform/process/index.ts";
import {
  changeByHand,
  endPauses,
  listUpstreams,
  SOURCE,
  TOPIC,
  type UpstreamReport,
} from "../platform/upstreams/index.ts";
import { notifyWorkers } from "../platform/worker/index.ts";
import { BadInput } from "./list/operation.ts";
import { type PausableWork, work } from "./status.ts";

const KINDS = { confirm: SOURCE, publish: TOPIC } as const;

interface PauseOrResume extends ByHand {
  work: PausableWork;
  /** Names of sources or ARNs of topics; `all` for every one that `serve` has ever known. */
  names: readonly string[] | "all";
}

export interface Pause extends PauseOrResume {
  /** When it ends automatically; by default when someone resumes it. */
  until?: Date | undefined;
}

export const pauseResult = z.object({
  work,
  changed: z.array(z.string()),
  unchanged: z.array(z.string()).describe("The names that were in that state already."),
  unknown: z.array(z.string()).describe("The names that serve has never known."),
});
type PauseResult = z.output<typeof pauseResult>;

export const listPausable = (db: Database, work: PausableWork) => listUpstreams(db, KINDS[work]);

/**
 * Stops asking or sending until `until` or `resume`; requests in flight are finished, and callbacks are still
 * recorded.
 * @throws BadInput when `until` is in the past.
 */
export async function pause({ until, ...options }: Pause): Promise<PauseResult> {
  if (until !== undefined && until <= (await databaseTime(options.db)))
    throw new BadInput(`The pause should end in the future, not at ${until.toISOString()}.`);
  return await change(options, { kind: "pause", reason: options.reason ?? null, until: until ?? null });
}

/**
 * Resumes at once after a pause, a refusal, back-off, an open circuit breaker or Retry-After.
 */
export async function resume(options: PauseOrResume): Promise<PauseResult> {
  const result = await change(options, { kind: "resume" });
  await notifyWorkers(options.db, options.work);
  return result;
}

async function change(
  { db, actor, work, names, reason }: PauseOrResume,
  signal: Extract<UpstreamReport, { kind: "pause" | "resume" }>,
): Promise<PauseResult> {
  return await db.transaction().execute(async (trx) => {
    const known = (await listPausable(trx, work)).map(({ name }) => name);
    const wanted = names === "all" ? known : known.filter((name) => names.includes(name));
    const changed: string[] = [];
    for (const name of wanted) {
      const done = await changeByHand(trx, KINDS[work], name, signal);
      if (done === null) continue;
      changed.push(name);
      const { pausedBy: before, opensInMs, retryInMs } = done.before;
      const detail =
        signal.kind === "pause"
          ? { before, reason: signal.reason, until: signal.until }
          : { before, wasBackingOff: opensInMs > 0 || retryInMs > 0 };
      const action = `${signal.kind}.${work}`;
      await audit(trx, [{ actor, action, subject: name, invoiceId: null, detail, reason }]);
    }
    return {
      work,
      changed,
      unchanged: wanted.filter((name) => !changed.includes(name)),
      unknown: names === "all" ? [] : names.filter((name) => !known.includes(name)),
    };
  });
}

/**
 * Records pauses that have expired and wakes the workers concerned. Call it regularly.
 * @returns the names.
 */
export async function noticeEndedPauses(db: Database): Promise<string[]> {
  const names: string[] = [];
  for (const work of ["confirm", "publish"] as const) {
    const ended = await db.transaction().execute(async (trx) => {
      const pauses = await endPauses(trx, KINDS[work]);
      await audit(
        trx,
        pauses.map(({ name, reason, until }) => ({
          actor: "relay",
          action: `resume.${work}`,
          subject: name,
          invoiceId: null,
          detail: { before: "operator", reason, until },
        })),
      );
      if (pauses.length > 0) failpoint("pause to be ended");
      return pauses;
    });
    if (ended.length > 0) {
      failpoint("pause ended");
      await notifyWorkers(db, work);
    }
    names.push(...ended.map(({ name }) => name));
  }
  return names;
}
