import { type Kysely, sql } from "kysely";
import { GroupCommit } from "../database/group-commit.ts";
import type { Tables } from "../database/tables.ts";
import type { Settlement } from "./settlement.ts";
import { settlementStatement } from "./settlement-statement.ts";

export interface SettlementStoreOptions {
  db: Kysely<Tables>;
  /** Called after each commit that left events to publish. */
  onEvents: () => void;
}

/**
 * Writes answers as they arrive, in micro-batches: one slow GET delays nobody. Each batch is one transaction
 * of invoice, snapshot, verdict and event; a batch with a bad row is split until that row stands alone.
 */
export class SettlementStore {
  readonly #commits: GroupCommit<Settlement>;

  constructor({ db, onEvents }: SettlementStoreOptions) {
    this.#commits = new GroupCommit({
      write: async (settlements) => {
        const { rows } = await sql<{ events: number }>`${settlementStatement(settlements)}`.execute(db);
        if ((rows[0]?.events ?? 0) > 0) onEvents();
      },
      maxBatch: 128,
      maxInFlight: 2,
      maxWaiting: Number.POSITIVE_INFINITY,
      repeatable: true,
    });
  }

  /** Resolves once it is committed, or once the lease proves to be lost, which is no error: then another worker has it. */
  settle(settlement: Settlement): Promise<void> {
    return this.#commits.add(settlement);
  }
}
