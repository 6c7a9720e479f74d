import type { BenchDatabase } from "../harness/bench-database.ts";
import { startRelays } from "../harness/contestants.ts";
import { interleave } from "../harness/interleave.ts";
import { type Drain, measureDrain } from "../harness/measure-drain.ts";
import type { BenchOptions } from "../harness/options.ts";
import { rateTable } from "../harness/rates.ts";
import type { Report } from "../harness/report.ts";
import type { Stage } from "../harness/stage.ts";
import { cpuTable } from "../harness/tables.ts";

const COUNTS = [1, 2, 4, 8];

/** A drain by several relays at once. */
interface SharedDrain extends Drain {
  connections: number;
  /** Transactions that wrote something, for each 1,000 callbacks. */
  commits: number;
}

/** What several relays drain together from one Postgres, and what each of them adds to its load. */
export async function relays(stage: Stage, { rounds, callbacks }: BenchOptions): Promise<Report> {
  const variants = COUNTS.map((count) => [
    `${count} ${count === 1 ? "relay" : "relays"}`,
    () => drainTogether(stage, count, callbacks),
  ]);
  const drained = await interleave<SharedDrain>(Object.fromEntries(variants), rounds);
  return {
    tables: [
      rateTable(`Drain of ${callbacks} callbacks by several relays on one Postgres, events/s`, drained, {
        connections: ({ connections }) => connections,
        "commits for 1,000": ({ commits }) => commits,
      }),
      cpuTable(drained),
    ],
    figures: { rounds: drained },
  };
}

const drainTogether = (stage: Stage, count: number, callbacks: number): Promise<SharedDrain> =>
  stage.withDatabase(async (database) => {
    const contestant = await startRelays(count)(stage, database);
    let before = 0;
    const record = async (ids: string[]) => {
      before = await transactionsOf(database);
      await contestant.record(ids);
    };
    try {
      const drain = await measureDrain({ stage, contestant: { ...contestant, record }, database, callbacks });
      const commits = ((await transactionsOf(database)) - before) / (callbacks / 1_000);
      return { ...drain, commits, connections: await connectionsOf(database) };
    } finally {
      await contestant.stop();
    }
  });

/** Only a transaction that writes is given an id. */
async function transactionsOf(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ id: string }>("select pg_current_xact_id()::text as id");
  return Number(row?.id);
}

async function connectionsOf(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'invoice-relay%'`,
  );
  return row?.count ?? 0;
}
