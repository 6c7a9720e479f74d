import { installTools, tool } from "../../../tools/tools.ts";
import { answerParent } from "../harness/child.ts";
import type { Addresses } from "../harness/payment.ts";
import { startQueueJob } from "../jobs/queue-job.ts";

// pg-boss twice. As its documentation shows it: a batch fetched at each poll, its jobs side by side, one that
// fails fails the batch. With our levers: two workers, the next batch fetched at once by `notifyWorker`, a
// bounded number of jobs at a time, those that fail failed one by one.
const BATCH = 500;
const WORKERS = 2;
const AT_A_TIME = 96;
const DOCUMENTED_POOL = 25;
const QUEUE = "confirm";

interface Job {
  id: string;
  data: { invoiceId: string };
}
interface Boss {
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
  createQueue(name: string, options: object): Promise<void>;
  work(name: string, options: object, handle: (jobs: Job[]) => Promise<void>): Promise<string>;
  notifyWorker(id: string): void;
  fail(name: string, ids: string[]): Promise<unknown>;
}
type Run = (invoiceId: string) => Promise<void>;

let boss: Boss | undefined;
let job: ReturnType<typeof startQueueJob> | undefined;
const workers: string[] = [];

/** There is work: look at once instead of at the next poll. */
function notify(): void {
  for (const id of workers) boss?.notifyWorker(id);
}

async function runBounded(jobs: Job[], run: Run): Promise<void> {
  const failed: string[] = [];
  const left = jobs.values();
  const work = async () => {
    for (const { id, data } of left) await run(data.invoiceId).catch(() => failed.push(id));
  };
  await Promise.all(Array.from({ length: AT_A_TIME / WORKERS }, work));
  if (failed.length > 0) await boss?.fail(QUEUE, failed);
}

async function runAll(jobs: Job[], run: Run): Promise<void> {
  const settled = await Promise.allSettled(jobs.map(({ data }) => run(data.invoiceId)));
  const failure = settled.find((one) => one.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}

const calls = {
  start: async (options: Addresses & { levers: boolean }) => {
    installTools();
    const PgBoss = tool<new (options: object) => Boss>("pg-boss");
    boss = new PgBoss({ connectionString: options.databaseUrl, max: 6, supervise: false, schedule: false });
    boss.on("error", (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
    await boss.start();
    await boss.createQueue(QUEUE, { name: QUEUE, policy: "standard", retryLimit: 5, retryDelay: 1 });
    job = startQueueJob({ ...options, connections: DOCUMENTED_POOL });
    const { run } = job;
    const handle = options.levers
      ? async (jobs: Job[]) => {
          notify();
          await runBounded(jobs, run);
        }
      : (jobs: Job[]) => runAll(jobs, run);
    const polling = { batchSize: BATCH, pollingIntervalSeconds: 0.5, priority: false };
    for (let worker = 0; worker < (options.levers ? WORKERS : 1); worker += 1)
      workers.push(await boss.work(QUEUE, polling, handle));
  },
  notify,
  stop: async () => {
    await boss?.stop({ graceful: true, wait: true, timeout: 5_000 });
    await job?.close();
  },
};

answerParent(calls);
