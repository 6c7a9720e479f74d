import { Alarms } from "../../src/alarms/alarms.ts";
import { createJobs, type JobName } from "../../src/app/jobs.ts";
import { register } from "../../src/app/upstreams.ts";
import { type ConnectOptions, connect } from "../../src/database/connect.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import type { ServeSettings, Source } from "../../src/kit/settings.ts";
import { leaseOf } from "../../src/work/lease.ts";

const NEVER = new AbortController().signal;

/** A relay taken apart: its sources are registered, and each of its jobs is run when the test says so. */
export async function jobsApart(
  settings: ServeSettings,
  sources: readonly Source[],
  options: ConnectOptions,
) {
  const { db, close } = connect(settings.DATABASE_URL, options);
  await register(db, sources);
  const warnings: string[] = [];
  const log = createLogger({ level: "warn", destination: { write: (line) => warnings.push(line) } });
  const metrics = createMetrics();
  const alarms = new Alarms({ db, log, metrics });
  const jobs = createJobs({
    db,
    hot: db,
    settings,
    lease: leaseOf(settings.LEASE_DURATION),
    sources,
    alarms,
    log,
    metrics,
    signer: null,
    onEvents: () => undefined,
    onConfirmations: () => undefined,
  });
  return {
    db,
    alarms,
    /** Runs a job of the process, or of one source, once. */
    run(name: JobName, source?: string): Promise<number | null> {
      const job = jobs.jobs.find((one) => one.name === name && one.source === source);
      if (job === undefined) throw new Error(`no job ${name} of ${source ?? "the process"}`);
      return job.run(NEVER);
    },
    warnings,
    async close() {
      await jobs.close();
      await close();
    },
  };
}
