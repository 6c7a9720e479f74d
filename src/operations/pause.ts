import { z } from "zod";
import { audit, type ByHand } from "../platform/audit/index.ts";
import type { Database } from "../platform/database/index.ts";
import {
  changeByHand,
  listUpstreams,
  SOURCE,
  TOPIC,
  type UpstreamReport,
} from "../platform/upstreams/index.ts";
import { type PausableWork, work } from "./status.ts";

const KINDS = { confirm: SOURCE, publish: TOPIC } as const;

interface PauseOrResume extends ByHand {
  work: PausableWork;
  /** Names of sources or ARNs of topics; `all` for every one that `serve` has ever known. */
  names: readonly string[] | "all";
}

export const pauseResult = z.object({
  work,
  changed: z.array(z.string()),
  unchanged: z.array(z.string()).describe("The names that were in that state already."),
  unknown: z.array(z.string()).describe("The names that serve has never known."),
});
type PauseResult = z.output<typeof pauseResult>;

export const listPausable = (db: Database, work: PausableWork) => listUpstreams(db, KINDS[work]);

/** Stops asking or sending until `resume`; requests in flight are finished, and callbacks are still recorded. */
export const pause = (options: PauseOrResume): Promise<PauseResult> =>
  change(options, { kind: "pause", reason: options.reason ?? null });

/**
 * Resumes at once after a pause, a refusal, back-off, an open circuit breaker or Retry-After.
 */
export const resume = (options: PauseOrResume): Promise<PauseResult> => change(options, { kind: "resume" });

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
          ? { before, reason: signal.reason }
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
