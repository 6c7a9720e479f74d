import type { Alarm, Alarms } from "../alarms/alarms.ts";
import { GroupCommit } from "../database/group-commit.ts";
import type { ResultOf } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { newId } from "../kit/ids.ts";
import { step } from "../kit/step.ts";
import type { ClaimedEvent } from "../publish/claim-events.ts";
import { lineOf, type Route } from "../publish/event.ts";
import type { Handoff } from "../work/policy.ts";
import {
  type OutcomeBatch,
  type OutcomeToHandOver,
  storeOutcomes,
  storeOutcomesAndAlarm,
} from "./answer-statement.ts";
import type { Outcome } from "./outcome.ts";

interface OutcomeStoreOptions {
  db: Database;
  alarms: Alarms;
  /** Called after each commit that left events for others to claim. */
  onEvents: () => void;
  /** To a publisher in this process; null: all new events are left due. */
  handoff: Handoff<ClaimedEvent> | null;
  routes: readonly Route[];
}

/**
 * Writes answers as they arrive, in micro-batches: one slow GET delays nobody. Each batch is one transaction
 * of verdict, invoice, snapshot, event and alarms; a batch with a bad row is split until that row stands
 * alone.
 */
export class OutcomeStore {
  readonly #commits: GroupCommit<Outcome>;

  constructor(options: OutcomeStoreOptions) {
    const topics = new Map(options.routes.map((route) => [lineOf(route), route.topicArn]));
    this.#commits = new GroupCommit({
      write: (outcomes) => write(outcomes, topics, options),
      maxBatch: 128,
      maxInFlight: 2,
      maxWaiting: Number.POSITIVE_INFINITY,
      repeatable: true,
    });
  }

  /**
   * Resolves once it is committed, or once the lease proves to be lost, which is no error: then another
   * worker has it.
   */
  store(outcome: Outcome): Promise<void> {
    return this.#commits.add(outcome);
  }
}

async function write(
  outcomes: readonly Outcome[],
  topics: ReadonlyMap<string, string>,
  { db, handoff, onEvents, alarms }: OutcomeStoreOptions,
): Promise<void> {
  const sendable = outcomes.filter((outcome) => topicOf(outcome, topics) !== null);
  const hasRoom = handoff?.reserve(sendable.map(lineOfEvent)) ?? [];
  const toHandOver = new Set(sendable.filter((_, index) => hasRoom[index] === true));
  const addressed = outcomes.map((outcome) => ({
    ...outcome,
    handTo: toHandOver.has(outcome) ? topicOf(outcome, topics) : null,
  }));
  const leaseToken = newId();
  const since = performance.now();
  let claimed: ClaimedEvent[] = [];
  try {
    step("outcomes to be stored");
    const rows = await execute(db, { outcomes: addressed, leaseToken, lease: handoff?.lease ?? null });
    step("outcomes stored");
    const byLease = new Map(rows.map((row) => [leaseKey(row), row]));
    const stored = addressed.filter((outcome) => byLease.has(leaseKey(outcome)));
    claimed = stored.flatMap((outcome) => claimedEvent(outcome, byLease.get(leaseKey(outcome)), leaseToken));
    if (rows.some(({ eventState }) => eventState === "due")) onEvents();
    alarms.notify(stored.flatMap(raisedBy));
  } finally {
    if (toHandOver.size > 0) handoff?.take(claimed, toHandOver.size, since);
  }
}

function execute(db: Database, batch: OutcomeBatch) {
  const raises = batch.outcomes.flatMap(raisedBy);
  const clears = batch.outcomes.flatMap(({ invoiceId, source, clears }) =>
    clears.map((name) => ({ name, source, subject: invoiceId })),
  );
  return raises.length + clears.length === 0
    ? storeOutcomes.execute(db, batch)
    : storeOutcomesAndAlarm.execute(db, { ...batch, raises, clears });
}

const raisedBy = ({ invoiceId, source, raises }: Outcome): Alarm[] =>
  raises.map((alarm) => ({ ...alarm, source, subject: invoiceId }));

function claimedEvent(
  { event, invoiceId, source }: OutcomeToHandOver,
  row: ResultOf<typeof storeOutcomes> | undefined,
  leaseToken: string,
): ClaimedEvent[] {
  if (event === null || row?.eventState !== "claimed") return [];
  const { id, type, invoiceType, collectionName, payload, traceparent } = event;
  const { callbackId, requestedAt } = row;
  const origin = { callbackId, requestedAt, traceparent };
  return [
    { id, type, invoiceType, collectionName, payload, invoiceId, source, leaseToken, attempt: 0, ...origin },
  ];
}

const leaseKey = ({ invoiceId, source, leaseToken }: Pick<Outcome, "invoiceId" | "source" | "leaseToken">) =>
  `${invoiceId} ${source} ${leaseToken}`;

const lineOfEvent = ({ source, event }: Outcome): string =>
  lineOf({ source, invoiceType: event?.invoiceType ?? "" });

const topicOf = (outcome: Outcome, topics: ReadonlyMap<string, string>): string | null =>
  outcome.event === null || outcome.event.state === "held"
    ? null
    : (topics.get(lineOfEvent(outcome)) ?? null);
