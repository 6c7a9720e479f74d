import type { Kysely } from "kysely";
import type { Alarm, Alarms, EndedAlarm } from "../database/alarms.ts";
import { GroupCommit } from "../database/group-commit.ts";
import type { ResultOf } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { Handoff } from "../kit/handoff.ts";
import { newId } from "../kit/new-id.ts";
import { step } from "../kit/step.ts";
import { type ClaimedEvent, lineOf, type Route } from "../outbox/event.ts";
import type { Outcome } from "./outcome.ts";
import { type OutcomeToHandOver, storeOutcomes } from "./store-statement.ts";

export interface OutcomeStoreOptions {
  db: Kysely<Tables>;
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
  options: OutcomeStoreOptions,
): Promise<void> {
  const { handoff, onEvents, alarms } = options;
  const sendable = outcomes.filter((outcome) => topicOf(outcome, topics) !== null);
  const places = handoff?.reserve(sendable.map(lineOfEvent)) ?? [];
  const toHandOver = new Set(sendable.filter((_, index) => places[index] === true));
  const addressed = outcomes.map((outcome) => ({
    ...outcome,
    handTo: toHandOver.has(outcome) ? topicOf(outcome, topics) : null,
  }));
  const since = performance.now();
  let claimed: ClaimedEvent[] = [];
  try {
    const leaseToken = newId();
    step("outcomes to be stored");
    const rows = await storeOutcomes.execute(options.db, {
      outcomes: addressed,
      leaseToken,
      leaseMs: handoff?.leaseMs ?? 0,
      raises: outcomes.flatMap(raisedBy),
      clears: outcomes.flatMap(clearedBy),
    });
    step("outcomes stored");
    const told = new Map(rows.map((row) => [leaseOf(row), row]));
    const held = addressed.filter((outcome) => told.has(leaseOf(outcome)));
    claimed = held.flatMap((outcome) => claimedEvent(outcome, told.get(leaseOf(outcome)), leaseToken));
    if (rows.some(({ eventState }) => eventState === "due")) onEvents();
    alarms.tell(held.flatMap(raisedBy));
  } finally {
    if (toHandOver.size > 0) handoff?.take(claimed, toHandOver.size, since);
  }
}

const raisedBy = ({ invoiceId, source, raises }: Outcome): Alarm[] =>
  raises.map((alarm) => ({ ...alarm, source, subject: invoiceId }));

const clearedBy = ({ invoiceId, source, clears }: Outcome): EndedAlarm[] =>
  clears.map((name) => ({ name, source, subject: invoiceId }));

function claimedEvent(
  { event, invoiceId, source }: OutcomeToHandOver,
  row: ResultOf<typeof storeOutcomes> | undefined,
  leaseToken: string,
): ClaimedEvent[] {
  if (event === null || row?.eventState !== "claimed") return [];
  const { id, type, invoiceType, collectionName, payload, traceparent } = event;
  const { callbackId, requestedAt } = row;
  return [
    {
      ...{ id, type, invoiceType, collectionName, payload, invoiceId, source, leaseToken, attempt: 0 },
      ...{ callbackId, requestedAt, traceparent },
    },
  ];
}

const leaseOf = ({ invoiceId, source, leaseToken }: Pick<Outcome, "invoiceId" | "source" | "leaseToken">) =>
  `${invoiceId} ${source} ${leaseToken}`;

const lineOfEvent = ({ source, event }: Outcome): string =>
  lineOf({ source, invoiceType: event?.invoiceType ?? "" });

const topicOf = (outcome: Outcome, topics: ReadonlyMap<string, string>): string | null =>
  outcome.event === null || outcome.event.state === "held"
    ? null
    : (topics.get(lineOfEvent(outcome)) ?? null);
