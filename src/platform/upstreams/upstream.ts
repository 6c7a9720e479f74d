import { type RawBuilder, sql } from "kysely";
import type { Alarms } from "../alarms/index.ts";
import { command, type Database, interval } from "../database/index.ts";
import { failpoint } from "../process/index.ts";
import { change, readUpstreamRow } from "./change.ts";
import { stateOf, transition, type UpstreamReport } from "./machine.ts";
import { SOURCE, type UpstreamKind } from "./upstream-kind.ts";

interface UpstreamOptions {
  db: Database;
  alarms: Alarms;
  kind: UpstreamKind;
  name: string;
}

/**
 * A source or topic, as the workers of one process see it. Their reports are written together, with a single write
 * under way at a time, and only where they change something; all processes go by the row.
 */
export class Upstream {
  readonly kind: UpstreamKind;
  readonly name: string;
  readonly #db: Database;
  readonly #alarms: Alarms;
  /** Reports of requests that are not written yet. */
  #unwritten: UpstreamReport[] = [];
  #writing: Promise<void> | null = null;
  // As far as this process knows; each claim sets it right.
  #isHealthy = false;
  #takesMore = true;

  constructor(options: UpstreamOptions) {
    const { db, alarms, kind, name } = options;
    this.#db = db;
    this.#alarms = alarms;
    this.kind = kind;
    this.name = name;
  }

  /** Each claim says whether the row is healthy. */
  saw(isHealthy: boolean): void {
    this.#isHealthy = isHealthy;
    if (isHealthy) this.#takesMore = true;
  }

  /** Whether it was healthy, as far as this process knows. */
  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** Whether it took more, at the last check. */
  get takesMore(): boolean {
    return this.#takesMore;
  }

  /** Resolves once the outcome of a request is written, if it is news. @returns whether it takes more. */
  async note(report: UpstreamReport): Promise<boolean> {
    this.#unwritten.push(report);
    while (this.#writing !== null) await this.#writing;
    const reports = this.#unwritten;
    this.#unwritten = [];
    // Success is news only after a fault.
    if (!reports.some((one) => !this.#isHealthy || isTrouble(one))) return this.#takesMore;
    this.#writing = this.#write(reports).finally(() => {
      this.#writing = null;
    });
    await this.#writing;
    return this.#takesMore;
  }

  async #write(reports: readonly UpstreamReport[]): Promise<void> {
    const left = summed(reports);
    try {
      for (let next = left[0]; next !== undefined; next = left[0]) {
        await this.#apply(next);
        left.shift();
      }
    } catch (error) {
      // Reports that could not be written are news still.
      this.#unwritten.push(...left);
      throw error;
    }
    const isHeld = reports.some(({ kind }) => kind === "slow_down" || kind === "refused");
    this.#isHealthy = !isHeld && reports.some(({ kind }) => kind === "works");
  }

  async #apply(report: UpstreamReport): Promise<void> {
    for (;;) {
      const before = await readUpstreamRow(this.#db, this.kind, this.name);
      if (before === null) return;
      const after = transition(before, report, this.kind.policy, Math.random());
      this.#takesMore = stateOf(after?.upstream ?? before, this.kind.policy) === "closed";
      if (after === null) return;
      failpoint("state to be changed");
      const written = await change(this.#db, this.kind, this.name, before, after);
      if (written === null) continue;
      failpoint("state changed");
      this.#alarms.notify(written.raised);
      this.#alarms.notifyCleared(written.cleared);
      return;
    }
  }
}

const isTrouble = ({ kind }: UpstreamReport): boolean => kind !== "works" && kind !== "list_read";

/** The same reports as few. A success shows that the upstream lives: faults count only without one. */
function summed(reports: readonly UpstreamReport[]): UpstreamReport[] {
  const of = <Kind extends UpstreamReport["kind"]>(kind: Kind) =>
    reports.filter((one): one is Extract<UpstreamReport, { kind: Kind }> => one.kind === kind);
  const failed = of("failed");
  const times = failed.reduce((sum, one) => sum + one.times, 0);
  const waitsMs = ({ retryAfterMs }: { retryAfterMs: number | null }) => Math.max(0, retryAfterMs ?? 0);
  const [unnamed, named] = [true, false].map((isUnnamed) =>
    of("slow_down")
      .filter((one) => (waitsMs(one) === 0) === isUnnamed)
      .toSorted((one, other) => waitsMs(one) - waitsMs(other)),
  );
  return [
    of("works").at(-1) ?? failed.slice(-1).map((last) => ({ ...last, times }))[0],
    of("list_read").at(-1),
    unnamed?.at(-1),
    // After the others, so that nothing shortens it.
    named?.at(-1),
    of("refused").at(-1),
  ].filter((one) => one !== undefined);
}

/** A condition: the key of one of these sources is to be tried (`takeProbe`). @param sources an array of names. */
export const keysAreToProbe = (sources: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from source
    where name = any(${sources}) and paused_by = 'refused' and probe_at <= clock_timestamp())`;

const updateProbe = command(
  ({ table, key, policy: { probe } }: UpstreamKind, name: string) => sql`
    update ${sql.table(table)} set probe_at = clock_timestamp() + least(${interval(probe.capMs)},
      greatest(${interval(probe.firstMs)}, clock_timestamp() - paused_at))
    where ${sql.ref(key)} = ${name} and paused_by = 'refused' and probe_at <= clock_timestamp()`,
  SOURCE,
);

/** Whether this process tries a refused upstream now: the next try is due after as long as it has been refused. */
export const takeProbe = async (db: Database, kind: UpstreamKind, name: string): Promise<boolean> =>
  (await updateProbe(db, kind, name)) > 0;
