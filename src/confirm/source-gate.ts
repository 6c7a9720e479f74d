import { type Kysely, sql } from "kysely";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { backOffMs } from "../workers/back-off.ts";
import { BREAKER_FAULTS } from "./allowance.ts";
import type { Answer } from "./answer.ts";
import type { ClaimedQuestion } from "./question.ts";

const BREAKER = { firstMs: 1_000, capMs: 10_000 };
const SLOWED = { firstMs: 1_000, capMs: 30_000 };

/** How fast the share of unknown ids follows the answers: about the last twenty of them count. */
const WEIGHT = 0.05;

interface Tally {
  answers: number;
  faults: number;
  lastFault: string | null;
  retryAfterMs: number | null;
  rateLimited: boolean;
  unknownFound: number;
  unknownMissing: number;
}

const emptyTally = (): Tally => ({
  answers: 0,
  faults: 0,
  lastFault: null,
  retryAfterMs: null,
  rateLimited: false,
  unknownFound: 0,
  unknownMissing: 0,
});

/**
 * What the answers of one source say about the source itself, written to its row for all processes: healthy,
 * failing (breaker), asked to slow down, and how many ids of the unknown lane proved unknown.
 * Answers are tallied and written together, one write under way at a time, and only when they change something.
 */
export class SourceGate {
  readonly #db: Kysely<Tables>;
  readonly #alarms: Alarms;
  readonly #source: string;
  #tally = emptyTally();
  #writing: Promise<void> | null = null;
  // What this process last saw in the row; another process may have changed it since.
  #faults = 0;
  #unknownShare = 0;

  constructor(options: { db: Kysely<Tables>; alarms: Alarms; source: string }) {
    this.#db = options.db;
    this.#alarms = options.alarms;
    this.#source = options.source;
  }

  note(question: ClaimedQuestion, answer: Answer): void {
    const tally = this.#tally;
    switch (answer.kind) {
      case "found":
      case "not_found":
      case "outside_contract":
        tally.answers += 1;
        if (question.lane === "unknown")
          tally[answer.kind === "not_found" ? "unknownMissing" : "unknownFound"] += 1;
        break;
      case "fault":
        tally.faults += 1;
        tally.lastFault = answer.error;
        break;
      case "rate_limited":
        tally.rateLimited = true;
        tally.lastFault = answer.error;
        tally.retryAfterMs = Math.max(tally.retryAfterMs ?? 0, answer.retryAfterMs ?? 0) || null;
        break;
      case "key_refused":
      case "interrupted":
        return;
    }
  }

  /** Writes what was noted; call it before the next claim, so that the claim sees it. */
  async settle(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    if (!this.#changesSomething(this.#tally)) return;
    const tally = this.#tally;
    this.#tally = emptyTally();
    this.#writing = this.#write(tally).finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  /** Told of the row's state at each claim. */
  sawFaults(faults: number): void {
    this.#faults = faults;
  }

  #changesSomething(tally: Tally): boolean {
    const unknown =
      tally.unknownFound + tally.unknownMissing > 0 &&
      (tally.unknownMissing > 0 || this.#unknownShare > 0.01);
    return tally.faults > 0 || tally.rateLimited || unknown || (tally.answers > 0 && this.#faults > 0);
  }

  async #write(tally: Tally): Promise<void> {
    // Answers and faults came together: the source lives, so the breaker stays shut only for faults alone.
    const failing = tally.answers === 0 && (tally.faults > 0 || tally.rateLimited);
    const faults = failing ? this.#faults + Math.max(1, tally.faults) : 0;
    const waitMs = this.#waitMs(tally, faults);
    const unknown = tally.unknownFound + tally.unknownMissing;
    const keeps = (1 - WEIGHT) ** unknown;
    const share = unknown === 0 ? 0 : tally.unknownMissing / unknown;
    const { rows } = await sql<{ faults: number; unknownShare: number }>`
      update source set
        faults = ${failing ? sql`faults + ${Math.max(1, tally.faults)}` : 0},
        last_error = ${failing ? tally.lastFault : null},
        opens_at = ${waitMs === null ? sql`case when ${failing}::boolean then opens_at else '-infinity' end` : sql`greatest(opens_at, clock_timestamp() + ${waitMs}::float8 * interval '1 ms')`},
        unknown_share = unknown_share * ${keeps} + ${(1 - keeps) * share}
      where name = ${this.#source}
      returning faults, unknown_share as "unknownShare"`.execute(this.#db);
    const [row] = rows;
    const before = this.#faults;
    this.#faults = row?.faults ?? 0;
    this.#unknownShare = row?.unknownShare ?? 0;
    await this.#sayFailing(before, tally.lastFault);
  }

  #waitMs(tally: Tally, faults: number): number | null {
    if (tally.rateLimited) return tally.retryAfterMs ?? backOffMs(faults, SLOWED);
    return tally.faults > 0 && faults >= BREAKER_FAULTS
      ? backOffMs(faults - BREAKER_FAULTS + 1, BREAKER)
      : null;
  }

  async #sayFailing(before: number, lastFault: string | null): Promise<void> {
    const alarm = { name: "source_failing", source: this.#source, subject: this.#source } as const;
    if (before < BREAKER_FAULTS && this.#faults >= BREAKER_FAULTS) {
      await this.#alarms.raise({
        ...alarm,
        detail: `The provider fails again and again: ${lastFault}. Questions wait and are asked again by themselves.`,
      });
    } else if (before >= BREAKER_FAULTS && this.#faults === 0) {
      await this.#alarms.clear(alarm);
    }
  }
}
