import type { Alarm, Alarms } from "../../platform/alarms/index.ts";
import { type Database, GroupCommit, type ResultOf } from "../../platform/database/index.ts";
import { step } from "../../platform/process/index.ts";
import { newId } from "../../platform/values/index.ts";
import type { Handoff } from "../../platform/worker/index.ts";
import { type ClaimedEvent, lineOf, type Route } from "../publish/index.ts";
import {
  type OutcomeBatch,
  type OutcomeToHandOver,
  storeOutcomes,
  storeOutcomesAndAlarm,
} from "./answer-statement.ts";
import type { Outcome } from "./judge.ts";
import type { NewEvent } from "./paid-event.ts";

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
  const addressed: OutcomeToHandOver[] = [];
  let reserved = 0;
  for (const outcome of outcomes) {
    const line = lineOfEvent(outcome);
    const topic = (line === null ? null : topics.get(line)) ?? null;
    const hasRoom = line !== null && topic !== null && handoff?.reserve(line) === true;
    if (hasRoom) reserved += 1;
    addressed.push({ ...outcome, handTo: hasRoom ? topic : null });
  }
  const leaseToken = newId();
  const since = performance.now();
  const claimed: ClaimedEvent[] = [];
  try {
    step("outcomes to be stored");
    const rows = await execute(db, { outcomes: addressed, leaseToken, lease: handoff?.lease ?? null });
    step("outcomes stored");
    const byLease = new Map(rows.map((row) => [leaseKey(row), row]));
    const raised: Alarm[] = [];
    for (const outcome of addressed) {
      const row = byLease.get(leaseKey(outcome));
      if (row === undefined) continue;
      raised.push(...raisedBy(outcome));
      if (outcome.event !== null && row.eventState === "claimed")
        claimed.push(
          claimedEvent(outcome, outcome.event, row, { leaseToken, topicArn: outcome.handTo ?? "" }),
        );
    }
    if (rows.some(({ eventState }) => eventState === "due")) onEvents();
    alarms.notify(raised);
  } finally {
    if (reserved > 0) handoff?.take(claimed, reserved, since);
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

const claimedEvent = (
  { invoiceId, source }: Outcome,
  { id, type, invoiceType, collectionName, payload, traceparent }: NewEvent,
  { callbackId, requestedAt }: ResultOf<typeof storeOutcomes>,
  { leaseToken, topicArn }: Pick<ClaimedEvent, "leaseToken" | "topicArn">,
): ClaimedEvent => ({
  ...{ id, type, invoiceType, collectionName, payload, invoiceId, source, leaseToken, attempt: 0 },
  ...{ callbackId, requestedAt, traceparent, topicArn, replayId: null },
});

/** What a commit of callbacks hands over has one token, an invoice of two sources too. */
const leaseKey = ({ invoiceId, source, leaseToken }: Pick<Outcome, "invoiceId" | "source" | "leaseToken">) =>
  `${invoiceId} ${source} ${leaseToken}`;

/** null where there is nothing to be sent. */
const lineOfEvent = ({ source, event }: Outcome): string | null =>
  event === null || event.state === "held" ? null : lineOf({ source, invoiceType: event.invoiceType });
