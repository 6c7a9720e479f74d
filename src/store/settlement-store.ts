import type { Kysely } from "kysely";
import { GroupCommit } from "../database/group-commit.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import type { NewEvent, Settlement } from "./settlement.ts";
import { settlementStatement } from "./settlement-statement.ts";

/** A new event that came into being under a lease of whoever takes it. */
export type HandedEvent = Omit<NewEvent, "state" | "truncated"> & {
  invoiceId: string;
  source: string;
  leaseToken: string;
  attempt: number;
};

/** A publisher in this process: it spares new events the way through the outbox' claim. */
export interface EventTaker {
  readonly leaseMs: number;
  /** The topic that an event goes to; null when there is no room for it now, or nobody to send it. */
  topicOf(event: { source: string; invoiceType: string }): string | null;
  /** They are committed, and leased to the taker. */
  take(events: HandedEvent[]): Promise<void>;
}

export interface SettlementStoreOptions {
  db: Kysely<Tables>;
  /** Called after each commit that left events for others to claim. */
  onEvents: () => void;
  /** null: all new events are left due. */
  taker: EventTaker | null;
}

/**
 * Writes answers as they arrive, in micro-batches: one slow GET delays nobody. Each batch is one transaction
 * of invoice, snapshot, verdict and event; a batch with a bad row is split until that row stands alone.
 */
export class SettlementStore {
  readonly #commits: GroupCommit<Settlement>;

  constructor(options: SettlementStoreOptions) {
    this.#commits = new GroupCommit({
      write: (settlements) => write(settlements, options),
      maxBatch: 128,
      maxInFlight: 2,
      patient: true,
      maxWaiting: Number.POSITIVE_INFINITY,
      repeatable: true,
    });
  }

  /** Resolves once it is committed, or once the lease proves to be lost, which is no error: then another worker has it. */
  settle(settlement: Settlement): Promise<void> {
    return this.#commits.add(settlement);
  }
}

async function write(
  settlements: readonly Settlement[],
  { db, onEvents, taker }: SettlementStoreOptions,
): Promise<void> {
  const leaseToken = newId();
  const { rows } = await settlementStatement.execute(db, {
    settlements: settlements.map((settlement) => ({ ...settlement, handTo: topicFor(settlement, taker) })),
    leaseToken,
    leaseMs: taker?.leaseMs ?? 0,
  });
  if (rows.some(({ state }) => state === "due")) onEvents();
  const claimed = new Set(rows.filter(({ state }) => state === "claimed").map(({ id }) => id));
  if (claimed.size > 0) await taker?.take(handed(settlements, claimed, leaseToken));
}

const topicFor = ({ source, event }: Settlement, taker: EventTaker | null): string | null =>
  event === null ? null : (taker?.topicOf({ source, invoiceType: event.invoiceType }) ?? null);

function handed(
  settlements: readonly Settlement[],
  claimed: ReadonlySet<string>,
  leaseToken: string,
): HandedEvent[] {
  return settlements.flatMap(({ event, invoiceId, source }) => {
    if (event === null || !claimed.has(event.id)) return [];
    const { id, type, invoiceType, collectionName, payload } = event;
    return [{ id, type, invoiceType, collectionName, payload, invoiceId, source, leaseToken, attempt: 0 }];
  });
}
