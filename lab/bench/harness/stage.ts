import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { makePartitions } from "../../../src/pipeline/receive/log/partitions.ts";
import { connect, migrateToLatest } from "../../../src/platform/database/index.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";
import { onDatabase, runOn } from "../../../test/support/postgres-server.ts";
import type { Flood, LoadGeneratorCalls, Pace } from "../processes/load-generator.ts";
import type { ProviderCalls } from "../processes/provider-stub.ts";
import type { RelayCalls } from "../processes/relay.ts";
import type { SnsCalls } from "../processes/sns-stub.ts";
import { type Calls, type Child, startChild } from "./child.ts";
import { cpuSecondsOf, cpuSecondsOfPostgres, startCpuClock } from "./cpu.ts";

/** A Postgres database that a bench fills and reads. */
export interface BenchDatabase {
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

const TEMPLATE = "bench_template";

/**
 * Starts what every bench runs against: a durable embedded Postgres in a folder of its own, the provider's stub,
 * the SNS stub and the load generator, each a process of its own. `end` leaves nothing behind.
 */
export async function startStage() {
  const ends = new AsyncDisposableStack();
  /** A process of the bench, which ends with the stage at the latest. */
  const child = <C extends Calls>(name: string): Child<C> =>
    ends.adopt(startChild<C>(name), ({ kill }) => kill());
  try {
    const folder = await mkdtemp(join(tmpdir(), "invoice-relay-bench-"));
    ends.defer(() => rm(folder, { recursive: true, force: true }));
    const serverUrl = await startPostgres(folder, ends);
    await makeTemplate(serverUrl);
    const generator = child<LoadGeneratorCalls>("load-generator");
    const [provider, sns] = [child<ProviderCalls>("provider-stub"), child<SnsCalls>("sns-stub")];
    const [{ url: providerUrl }, { url: snsUrl }] = [await provider.call("start"), await sns.call("start")];
    const [row] = await runOn<{ pid: string }>(
      serverUrl,
      "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid",
    );

    /** A database with the relay's schema and nothing in it; `drop` removes it. */
    async function createDatabase(): Promise<BenchDatabase & { drop(): Promise<void> }> {
      const name = `bench_${randomBytes(4).toString("hex")}`;
      await runOn(serverUrl, `create database ${name} template ${TEMPLATE}`);
      const url = onDatabase(serverUrl, name);
      const pool = new pg.Pool({ connectionString: url, max: 2, options: "-c timezone=UTC" });
      pool.on("error", () => undefined);
      return {
        url,
        query: async (text, values = []) => (await pool.query(text, values)).rows,
        async drop() {
          await pool.end();
          await runOn(serverUrl, `drop database ${name} with (force)`);
        },
      };
    }

    /** What every process has to know of the others. */
    const addresses = ({ url }: BenchDatabase) => ({ databaseUrl: url, providerUrl, snsUrl });

    return {
      provider,
      sns,
      child,
      addresses,
      createDatabase,
      /** Works with a database of its own, which is gone afterwards. */
      async withDatabase<Result>(work: (database: BenchDatabase) => Promise<Result>): Promise<Result> {
        const database = await createDatabase();
        return await work(database).finally(database.drop);
      },
      /** The real relay: the receiver, the workers, or both. */
      async relay(database: BenchDatabase, roles: { http: boolean; workers: boolean }) {
        const relay = child<RelayCalls>("relay");
        return { ...relay, ...(await relay.call("start", { ...addresses(database), ...roles })) };
      },
      /** As many callbacks as a server takes. @throws when one is not answered 2xx. */
      flood: async (how: Flood) => allAnswered(await generator.call("flood", how)),
      /** So many callbacks a second, evenly. @throws when one is not answered 2xx. */
      pace: async (how: Pace) => allAnswered(await generator.call("pace", how)),
      /** Writes out what earlier rounds left dirty, so that no round pays for another. */
      settleDisk: () => runOn(serverUrl, "checkpoint"),
      /** CPU clocks of Postgres, generator, stubs and the process that is measured. */
      startCpuClock: (measured: number) =>
        startCpuClock({
          measured: () => cpuSecondsOf(measured),
          postgres: () => cpuSecondsOfPostgres(Number(row?.pid)),
          generator: () => cpuSecondsOf(generator.pid),
          provider: () => cpuSecondsOf(provider.pid),
          sns: () => cpuSecondsOf(sns.pid),
        }),
      end: () => ends.disposeAsync(),
    };
  } catch (error) {
    await ends.disposeAsync();
    throw error;
  }
}

// With a quarter of the memory, which PostgreSQL's manual calls a reasonable start for a server of its own, and with
// checkpoints as rare as docs/performance.md advises. By default tables of millions of rows would be read from the
// system again and again, and written whole to the WAL.
async function startPostgres(folder: string, ends: AsyncDisposableStack): Promise<string> {
  const untuned = await startEmbeddedPostgres({ dataDir: folder });
  const megabytes = Math.floor(totalmem() / 4 / 1_048_576);
  const settings = { shared_buffers: `${megabytes}MB`, max_wal_size: "16GB", checkpoint_timeout: "30min" };
  try {
    for (const [name, value] of Object.entries(settings))
      await runOn(untuned.url, `alter system set ${name} = '${value}'`);
  } finally {
    await untuned.stop();
  }
  const { url } = ends.adopt(await startEmbeddedPostgres({ dataDir: folder }), ({ stop }) => stop());
  return url;
}

async function makeTemplate(serverUrl: string): Promise<void> {
  await runOn(serverUrl, `create database ${TEMPLATE}`);
  const { db, close } = connect(new Secret(onDatabase(serverUrl, TEMPLATE)), { max: 1 });
  await migrateToLatest(db, "relay")
    .then(() => makePartitions(db))
    .finally(close);
}

function allAnswered<Outcome extends { failed: number }>(outcome: Outcome): Outcome {
  if (outcome.failed > 0) throw new Error(`${outcome.failed} callbacks were not answered 2xx`);
  return outcome;
}
