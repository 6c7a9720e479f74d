import pg from "pg";
import PgBoss from "pg-boss";
import { answerParent } from "../harness/answer-parent.ts";
import { createCallbackJob } from "../harness/callback-job.ts";

// pg-boss as its documentation tunes it: large batches, each completed at once, and `notifyWorker` to fetch the
// next batch without waiting for the poll; those jobs of a batch that fail are failed one by one.
const WORKERS = 2;
const BATCH = 500;
const AT_A_TIME = 48;
const POOL = 24;
const QUEUE = "confirm";

let boss: PgBoss | undefined;
let pool: pg.Pool | undefined;
const workers: string[] = [];

async function work(
  jobs: PgBoss.Job<{ invoiceId: string }>[],
  job: (id: string) => Promise<void>,
): Promise<void> {
  const failed: string[] = [];
  let next = 0;
  const line = async () => {
    for (let one = jobs[next++]; one !== undefined; one = jobs[next++]) {
      const { id, data } = one;
      await job(data.invoiceId).catch(() => failed.push(id));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, line));
  if (failed.length > 0) await boss?.fail(QUEUE, failed);
}

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
    const job = createCallbackJob({ pool, providerUrl, snsUrl, connections: 64, lingerMs: 5 });
    boss = new PgBoss({ connectionString: databaseUrl, max: 6, supervise: false, schedule: false });
    boss.on("error", (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
    await boss.start();
    await boss.createQueue(QUEUE, { name: QUEUE, policy: "standard", retryLimit: 5, retryDelay: 1 });
    for (let worker = 0; worker < WORKERS; worker += 1) {
      const id: string = await boss.work<{ invoiceId: string }>(
        QUEUE,
        { batchSize: BATCH, pollingIntervalSeconds: 0.5, priority: false },
        async (jobs) => {
          boss?.notifyWorker(id);
          await work(jobs, job);
        },
      );
      workers.push(id);
    }
  },
  /** There is work: look at once instead of at the next poll. */
  notify: () => {
    for (const id of workers) boss?.notifyWorker(id);
  },
  stop: async () => {
    await boss?.stop({ graceful: true, wait: true, timeout: 5_000 });
    await pool?.end();
  },
};

export type PgBossCalls = typeof calls;
answerParent(calls);
