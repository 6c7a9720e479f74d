import { installTools, tool } from "../../../ops/tools.ts";
import { answerParent } from "../harness/answer-parent.ts";
import { type QueueOptions, startQueueJob } from "../harness/queue-job.ts";

// graphile-worker with the configuration of its documentation's page on performance: a local queue of 500,
// jobs completed and failed in batches, 24 jobs at a time over 25 connections. With our levers jobs wait for
// each other's commits, so there are more of them: as many as serve two cores best.
const DOCUMENTED = { concurrentJobs: 24, pool: 25 };
const WITH_OUR_LEVERS = { concurrentJobs: 96, pool: 12 };

interface GraphileWorker {
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => unknown;
}

let runner: Awaited<ReturnType<GraphileWorker["run"]>> | undefined;
let job: ReturnType<typeof startQueueJob> | undefined;

const calls = {
  start: async (options: QueueOptions) => {
    installTools();
    const { Logger, run } = tool<GraphileWorker>("graphile-worker");
    const { concurrentJobs, pool: max } = options.levers ? WITH_OUR_LEVERS : DOCUMENTED;
    const own = startQueueJob(options, max);
    job = own;
    runner = await run({
      pgPool: own.pool,
      noHandleSignals: true,
      taskList: { confirm: ({ invoiceId }: { invoiceId: string }) => own.run(invoiceId) },
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
    await job?.close();
  },
};

export type GraphileWorkerCalls = typeof calls;
answerParent(calls);
