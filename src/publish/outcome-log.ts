import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Alarm, Alarms } from "../alarms/alarms.ts";
import { GroupCommit } from "../database/group-commit.ts";
import { isRefusedData } from "../database/postgres-errors.ts";
import type { Tables } from "../database/tables.ts";
import { backOffMs } from "../kit/back-off.ts";
import { step } from "../kit/step.ts";
import { type EventOutcome, writeOutcomes } from "./outbox/write-outcomes.ts";

/** How long an outcome waits for others, in ms: its event is out already, so nobody waits for it. */
const LINGER_MS = 20;

const BACK_OFF = { firstMs: 100, capMs: 5_000 };

interface Kept {
  outcome: EventOutcome;
  alarms: readonly Alarm[];
}

/** Keeps the outcome of every event, many in one commit. */
export class OutcomeLog {
  readonly #commits: GroupCommit<Kept>;

  constructor({ db, alarms }: { db: Kysely<Tables>; alarms: Alarms }) {
    this.#commits = new GroupCommit({
      async write(kept) {
        const raised = kept.flatMap((one) => one.alarms);
        step("acceptances to be kept");
        await writeOutcomes(db, { outcomes: kept.map(({ outcome }) => outcome), alarms: raised });
        step("acceptances kept");
        alarms.tell(raised);
      },
      maxBatch: 500,
      maxInFlight: 2,
      lingerMs: LINGER_MS,
      maxWaiting: Number.POSITIVE_INFINITY,
      // A second row for one acceptance is harmless; a missing one would be wrong.
      repeatable: true,
    });
  }

  /**
   * Resolves once it is written. For an acceptance this is tried as long as Postgres is away: it happened,
   * and forgetting it would send the event a second time.
   * @throws what the write failed with, for anything else: the lease runs out, and it is tried again.
   */
  async keep(outcome: EventOutcome, alarms: readonly Alarm[]): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#commits.add({ outcome, alarms });
      } catch (error) {
        if (outcome.state !== "accepted" || isRefusedData(error)) throw error;
        await delay(backOffMs(failures, BACK_OFF), undefined, { ref: false });
      }
    }
  }
}
