import pg from "pg";
import { installTools, tool } from "../../ops/tools.ts";
import { type Connection, connect } from "../../src/database/connect.ts";
import type { Tables } from "../../src/database/tables.ts";
import { Secret } from "../../src/kit/secret.ts";
import { answerParent } from "../harness/answer-parent.ts";
import { createCallbackJob } from "../harness/callback-job.ts";
import { outletAsDocumented } from "../harness/outlet-as-documented.ts";
import { outletWithOurLevers } from "../harness/outlet-with-our-levers.ts";
import type { QueueOptions } from "../harness/queue-options.ts";

// graphile-worker with the configuration of its documentation's page on performance: a local queue of 500,
// jobs completed and failed in batches, 24 jobs at a time over 25 connections. With our levers jobs wait for
// each other's commits, so there are more of them: as many as serve two cores best.
const DOCUMENTED = { concurrentJobs: 24, pool: 25 };
const WITH_OUR_LEVERS = { concurrentJobs: 96, pool: 12 };
const STORING_CONNECTIONS = 6;

interface GraphileWorker {
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => unknown;
}

let runner: Awaited<ReturnType<GraphileWorker["run"]>> | undefined;
let pool: pg.Pool | undefined;
let storing: Connection<Tables> | undefined;

const calls = {
  start: async ({ databaseUrl, providerUrl, snsUrl, levers }: QueueOptions) => {
    installTools();
    const { Logger, run } = tool<GraphileWorker>("graphile-worker");
    const { concurrentJobs, pool: max } = levers ? WITH_OUR_LEVERS : DOCUMENTED;
    pool = new pg.Pool({ connectionString: databaseUrl, max, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    storing = connect(new Secret(databaseUrl), { max: STORING_CONNECTIONS, purpose: "hot" });
    const outlet = levers
      ? outletWithOurLevers({ db: storing.db, snsUrl, shared: true })
      : outletAsDocumented(pool, snsUrl);
    const job = createCallbackJob({ providerUrl, connections: 64, outlet });
    runner = await run({
      pgPool: pool,
      noHandleSignals: true,
      taskList: { confirm: ({ invoiceId }: { invoiceId: string }) => job(invoiceId) },
      logger: new Logger(() => () => undefined),
      preset: {
        worker: {
          concurrentJobs,
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
    await storing?.close();
  },
};

export type GraphileWorkerCalls = typeof calls;
answerParent(calls);
