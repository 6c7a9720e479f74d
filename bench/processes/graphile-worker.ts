import { Logger, type Runner, run } from "graphile-worker";
import pg from "pg";
import { answerParent } from "../harness/answer-parent.ts";
import { createCallbackJob } from "../harness/callback-job.ts";

// graphile-worker as its documentation tunes it for throughput: a local queue filled in batches of 500, jobs
// completed and failed in batches, jobs and pool as large as serve two cores best.
const CONCURRENT_JOBS = 96;
const POOL = 24;

let runner: Runner | undefined;
let pool: pg.Pool | undefined;

const calls = {
  start: async ({
    databaseUrl,
    providerUrl,
    snsUrl,
  }: {
    databaseUrl: string;
    providerUrl: string;
    snsUrl: string;
  }) => {
    pool = new pg.Pool({ connectionString: databaseUrl, max: POOL, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    const job = createCallbackJob({ pool, providerUrl, snsUrl, connections: 64, lingerMs: 5 });
    runner = await run({
      pgPool: pool,
      noHandleSignals: true,
      taskList: { confirm: (payload) => job((payload as { invoiceId: string }).invoiceId) },
      logger: new Logger(() => () => undefined),
      preset: {
        worker: {
          concurrentJobs: CONCURRENT_JOBS,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          pollInterval: 500,
        },
      },
    });
  },
  stop: async () => {
    await runner?.stop();
    await pool?.end();
  },
};

export type GraphileWorkerCalls = typeof calls;
answerParent(calls);
