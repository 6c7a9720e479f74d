import { installTools, tool } from "../../../tools/tools.ts";
import { answerParent } from "../harness/child.ts";
import type { Addresses } from "../harness/payment.ts";
import { startQueueJob } from "../jobs/queue-job.ts";

// graphile-worker with the configuration of its documentation's page on performance: a local queue of 500,
// jobs completed and failed in batches, 24 jobs at a time over 25 connections. With our levers jobs wait for
// each other's commits, so there are more of them: as many as serve two cores best.
const DOCUMENTED = { concurrentJobs: 24, connections: 25 };
const WITH_OUR_LEVERS = { concurrentJobs: 96, connections: 12 };

interface GraphileWorker {
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => unknown;
}

let runner: Awaited<ReturnType<GraphileWorker["run"]>> | undefined;
let job: ReturnType<typeof startQueueJob> | undefined;

const calls = {
  start: async (options: Addresses & { levers: boolean }) => {
    installTools();
    const { Logger, run } = tool<GraphileWorker>("graphile-worker");
    const { concurrentJobs, connections } = options.levers ? WITH_OUR_LEVERS : DOCUMENTED;
    const own = startQueueJob({ ...options, connections });
    job = own;
    const batches = { completeJobBatchDelay: 0, failJobBatchDelay: 0, pollInterval: 500 };
    runner = await run({
      pgPool: own.pool,
      noHandleSignals: true,
      taskList: { confirm: ({ invoiceId }: { invoiceId: string }) => own.run(invoiceId) },
      logger: new Logger(() => () => undefined),
      preset: { worker: { concurrentJobs, localQueue: { size: 500 }, ...batches } },
    });
  },
  stop: async () => {
    await runner?.stop();
    await job?.close();
  },
};

/** Both queues offer these. */
export type QueueCalls = typeof calls & { notify: () => void };
answerParent(calls);
