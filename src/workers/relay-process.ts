import { hostname } from "node:os";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import { programVersion } from "../kit/program-version.ts";

/** How often a process says that it lives, in ms. */
export const BEAT_MS = 30_000;

/** Silent for this long, a process is taken for dead; in ms. */
const SILENT_MS = 3 * BEAT_MS;

/** Nobody asks any more about one that has been silent for this long. */
const FORGOTTEN = sql`interval '1 day'`;

/** The row of this process, by which others see that it lives. */
export class RelayProcess {
  readonly #db: Kysely<Tables>;
  readonly #id = newId();
  readonly #does: { http: boolean; workers: boolean };
  #left = false;

  constructor(db: Kysely<Tables>, does: { http: boolean; workers: boolean }) {
    this.#db = db;
    this.#does = does;
  }

  /** To be called every `BEAT_MS`. */
  async beat(): Promise<void> {
    if (this.#left) return;
    const { http, workers } = this.#does;
    await sql`
      with forgotten as (delete from relay_process where seen_at < clock_timestamp() - ${FORGOTTEN})
      insert into relay_process (id, pid, http, workers, host, version)
      values (${this.#id}, ${process.pid}, ${http}, ${workers}, ${hostname()}, ${programVersion()})
      on conflict (id) do update set seen_at = clock_timestamp()`.execute(this.#db);
  }

  /** It stops, and says so. */
  async leave(): Promise<void> {
    this.#left = true;
    await sql`delete from relay_process where id = ${this.#id}`.execute(this.#db);
  }
}

export interface SeenProcess {
  host: string;
  pid: number;
  version: string;
  http: boolean;
  workers: boolean;
  startedAt: Date;
  seenAt: Date;
  /** Heard of lately. One that is not has died or hangs: it did not say that it stops. */
  lives: boolean;
}

/** The processes of `serve` that did not stop, the living ones first. */
export async function listProcesses(db: Kysely<Tables>): Promise<SeenProcess[]> {
  return await db
    .selectFrom("relay_process")
    .select(["host", "pid", "version", "http", "workers"])
    .select(["started_at as startedAt", "seen_at as seenAt"])
    .select(sql<boolean>`seen_at > clock_timestamp() - ${SILENT_MS} * interval '1 ms'`.as("lives"))
    .orderBy("seen_at", "desc")
    .limit(100)
    .execute();
}
