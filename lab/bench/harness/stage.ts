import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connect } from "../../../src/database/connect.ts";
import { migrateToLatest } from "../../../src/database/migrate.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { makePartitions } from "../../../src/receive/log/partitions.ts";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";
import type { Flood, LoadGeneratorCalls, Pace } from "../processes/load-generator.ts";
import type { ProviderCalls } from "../processes/provider-stub.ts";
import type { SnsCalls } from "../processes/sns-stub.ts";
import type { Calls } from "./answer-parent.ts";
import { type BenchDatabase, openDatabase } from "./bench-database.ts";
import { type Child, startChild } from "./child-process.ts";
import { cpuSecondsOf, cpuSecondsOfPostgres, startCpuClock } from "./cpu-time.ts";
import type { RawServer } from "./raw-http-server.ts";

type Server<C extends Calls> = Child<C> & RawServer;

const TEMPLATE = "bench_template";

/**
 * What every bench plays on: a durable embedded Postgres in a folder of its own, the provider's stub, the SNS
 * stub and the load generator, each a process of its own. `end` leaves nothing behind.
 */
export class Stage {
  readonly #children = new Set<Child<Calls>>();
  readonly #ends: (() => Promise<unknown>)[] = [];
  #ended = false;
  #postgresUrl = "";
  #postmaster = 0;
  #provider: Server<ProviderCalls> | undefined;
  #sns: Server<SnsCalls> | undefined;
  #generator: Child<LoadGeneratorCalls> | undefined;

  async begin(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "invoice-relay-bench-"));
    this.#ends.push(() => rm(folder, { recursive: true, force: true }));
    await this.#startPostgres(folder);
    const [row] = await this.#onServer<{ pid: string }>(
      "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid",
    );
    this.#postmaster = Number(row?.pid);
    await this.#makeTemplate();
    this.#generator = this.child<LoadGeneratorCalls>("load-generator");
    const provider = this.child<ProviderCalls>("provider-stub");
    this.#provider = Object.assign(provider, await provider.call("start"));
    const sns = this.child<SnsCalls>("sns-stub");
    this.#sns = Object.assign(sns, await sns.call("start"));
  }

  get provider(): Server<ProviderCalls> {
    return begun(this.#provider);
  }

  get sns(): Server<SnsCalls> {
    return begun(this.#sns);
  }

  /** As many callbacks as a server takes. @throws when one is not answered 2xx. */
  async flood(how: Flood) {
    return allAnswered(await begun(this.#generator).call("flood", how));
  }

  /** So many callbacks a second, evenly. @throws when one is not answered 2xx. */
  async pace(how: Pace) {
    return allAnswered(await begun(this.#generator).call("pace", how));
  }

  /**
   * Starts a process of the bench; `end` has it stop its work before. It ends with the stage at the latest,
   * then at once.
   */
  child<C extends Calls>(name: string): Child<C> {
    if (this.#ended) throw new Error("The stage has ended");
    const child = startChild<C>(name);
    this.#children.add(child);
    const working = child as unknown as Child<{ stop: () => unknown }>;
    const end = async () => {
      await working.call("stop");
      this.#children.delete(child);
      await child.end();
    };
    return { ...child, end };
  }

  /** Works with a database of its own, which is gone afterwards. */
  async withDatabase<Result>(work: (database: BenchDatabase) => Promise<Result>): Promise<Result> {
    const database = await this.createDatabase();
    try {
      return await work(database);
    } finally {
      await database.drop();
    }
  }

  /** A database with the relay's schema and nothing in it. */
  async createDatabase(): Promise<BenchDatabase> {
    const name = `bench_${randomBytes(4).toString("hex")}`;
    await this.#onServer(`create database ${name} template ${TEMPLATE}`);
    return openDatabase(this.#urlOf(name), () => this.#onServer(`drop database ${name} with (force)`));
  }

  /** Writes out what earlier rounds left dirty, so that no round pays for another. */
  async settleDisk(): Promise<void> {
    await this.#onServer("checkpoint");
  }

  /** CPU clocks of Postgres, generator, stubs and of `pids`, the processes that are measured, together. */
  startCpuClock(...pids: number[]): ReturnType<typeof startCpuClock> {
    return startCpuClock({
      measured: () => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
      postgres: () => cpuSecondsOfPostgres(this.#postmaster),
      generator: () => cpuSecondsOf(begun(this.#generator).pid),
      provider: () => cpuSecondsOf(this.provider.pid),
      sns: () => cpuSecondsOf(this.sns.pid),
    });
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#children].map((child) => child.end()));
    for (const end of this.#ends.splice(0).reverse()) await end();
  }

  // With a quarter of the memory, which PostgreSQL's manual calls a reasonable start for a server of its own.
  // Its default is 128 MB, and then tables of millions of rows would be read from the system again and again.
  async #startPostgres(folder: string): Promise<void> {
    const untuned = await startEmbeddedPostgres({ dataDir: folder });
    this.#postgresUrl = untuned.url;
    try {
      await this.#onServer(`alter system set shared_buffers = '${Math.floor(totalmem() / 4 / 1_048_576)}MB'`);
    } finally {
      await untuned.stop();
    }
    const postgres = await startEmbeddedPostgres({ dataDir: folder });
    this.#ends.push(() => postgres.stop());
    this.#postgresUrl = postgres.url;
  }

  async #makeTemplate(): Promise<void> {
    await this.#onServer(`create database ${TEMPLATE}`);
    const { db, close } = connect(new Secret(this.#urlOf(TEMPLATE)), { max: 1 });
    try {
      await migrateToLatest(db, "relay");
      await makePartitions(db);
    } finally {
      await close();
    }
  }

  #urlOf(database: string): string {
    const url = new URL(this.#postgresUrl);
    url.pathname = `/${database}`;
    return url.href;
  }

  async #onServer<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#postgresUrl });
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  }
}

function allAnswered<Outcome extends { failed: number }>(outcome: Outcome): Outcome {
  if (outcome.failed > 0) throw new Error(`${outcome.failed} callbacks were not answered 2xx`);
  return outcome;
}

function begun<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("The stage has not begun");
  return part;
}
