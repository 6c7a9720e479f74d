import { hash } from "node:crypto";
import { sql } from "kysely";
import { databaseClock } from "../database/server.ts";
import { type Columns, type Slots, Statement, text, uuid } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import type { Tracer } from "../kit/trace.ts";
import { backOffMs } from "../kit/waiting.ts";
import type { Route } from "../publish/event-log.ts";
import { countWaitingEvents } from "../publish/outbox.ts";
import { keepReplayed } from "../publish/publications.ts";
import { startSending } from "../publish/publish-line.ts";
import type { BatchOutcome, EntryOutcome, SnsDestination } from "../publish/sns-destination.ts";
import { readUpstreamRow } from "../upstreams/change.ts";
import { stateOf } from "../upstreams/machine.ts";
import { TOPIC } from "../upstreams/upstream-kind.ts";
import { LeaseLost } from "../work/lease.ts";
import type { HeldReplay, ReplaySteps, StepOutcome, Waits } from "./replay.ts";
import { saveProgress, saveTotals } from "./replay-rows.ts";
import { countOutcomes, type SelectedEvent, selectEvents } from "./select-events.ts";

export interface PublishingAgainOptions {
  db: Database;
  /** A connection of its own, so that a replay never uses one that live events need. */
  destination: SnsDestination;
  routes: readonly Route[];
  tracer?: Tracer | null;
}

const BACK_OFF = { firstMs: 500, capMs: 30_000 };

interface Answered {
  topicArn: string;
  entries: { event: SelectedEvent; outcome: EntryOutcome }[];
}

/**
 * Publishes events again, one batch at a time, after the live events that are already waiting (G9). The
 * outcome of every entry is stored before the next batch; only the entries that failed are sent again, after
 * a back-off (G5).
 */
export class EventsSteps implements ReplaySteps {
  readonly #options: PublishingAgainOptions;
  #faults = 0;
  /** How many events are sent one by one, because SNS refused their batch. */
  #alone = 0;
  #lastBatchEnded: string | null = null;
  /** Not stored yet, because the database went away. */
  #unsaved: Answered | null = null;

  constructor(options: PublishingAgainOptions) {
    this.#options = options;
  }

  get hasUnsaved(): boolean {
    return this.#unsaved !== null;
  }

  async next(replay: HeldReplay, limit: number): Promise<StepOutcome> {
    if (this.#unsaved !== null) return await this.#save(replay, this.#unsaved);
    const { db, routes, destination, tracer } = this.#options;
    const { filters, target, position } = replay;
    const events = await selectEvents.execute(db, {
      filters,
      target,
      routes,
      after: position,
      replayId: replay.id,
      most: this.#alone > 0 ? 1 : Math.min(limit, destination.batchSize),
    });
    const first = this.#firstBatch(events, replay);
    if (first === null) {
      // Outcomes that were stored after the lease was lost are not counted yet.
      if (replay.handled < replay.matching) await saveTotals(db, replay, await countOutcomes(db, replay.id));
      return { kind: "ends" };
    }
    const { topicArn, batch } = first;
    const waits = await checkLiveEvents(db, topicArn, routes, this.#lastBatchEnded);
    if (waits !== null) return waits;

    step("replayed events leave");
    const traced = tracer ? startSending(tracer, topicArn, batch, replay.id) : null;
    const outcome = await destination.send(topicArn, traced?.events ?? batch, replay.id);
    traced?.end(outcome);
    step("replayed events accepted");
    if (outcome.kind === "topic_refused")
      return { kind: "fails", why: `SNS refuses the topic ${topicArn}: ${outcome.error}` };
    if (outcome.kind === "refused" && batch.length > 1) {
      this.#alone = batch.length;
      return { kind: "waits", why: "SNS refused a batch; its entries are sent one by one", ms: 0 };
    }
    const entries = batch.map((event, index) => ({ event, outcome: entryOutcome(outcome, index) }));
    this.#unsaved = { topicArn, entries };
    return await this.#save(replay, this.#unsaved);
  }

  /** As many of the first events as fit into one batch for one topic. */
  #firstBatch(
    events: readonly SelectedEvent[],
    { target }: HeldReplay,
  ): { topicArn: string; batch: SelectedEvent[] } | null {
    const { routes, destination } = this.#options;
    const topicOf = ({ source, invoiceType }: SelectedEvent): string | undefined =>
      target.kind === "other_topic"
        ? target.topicArn
        : routes.find((route) => route.source === source && route.invoiceType === invoiceType)?.topicArn;
    const [first] = events;
    const topicArn = first === undefined ? undefined : topicOf(first);
    if (topicArn === undefined) return null;
    // Two sources may use the same event id, which a batch may contain only once.
    const ids = new Set<string>();
    const others = events.findIndex(
      (event) => topicOf(event) !== topicArn || ids.size === ids.add(event.id).size,
    );
    const together = others === -1 ? events : events.slice(0, others);
    return { topicArn, batch: together.slice(0, destination.fitting(together)) };
  }

  async #save(replay: HeldReplay, answered: Answered): Promise<StepOutcome> {
    const { db } = this.#options;
    const moved = await saveOutcomes(db, replay, answered);
    step("replayed events kept");
    this.#unsaved = null;
    this.#lastBatchEnded = await databaseClock(db);
    this.#alone = Math.max(0, this.#alone - 1);
    const { entries } = answered;
    const failed = entries.flatMap(({ outcome }) => (outcome.kind === "failed" ? [outcome.error] : []));
    if (failed.length > 0) {
      this.#faults += 1;
      const why = `SNS fails ${failed.length} of ${entries.length} entries: ${failed[0]}`;
      return { kind: "waits", replay: moved, why, ms: backOffMs(this.#faults, BACK_OFF) };
    }
    this.#faults = 0;
    return { kind: "went", replay: moved, taken: entries.length };
  }
}

function entryOutcome(batch: Exclude<BatchOutcome, { kind: "topic_refused" }>, index: number): EntryOutcome {
  if (batch.kind !== "answered") return { kind: batch.kind, error: batch.error };
  return batch.entries[index] ?? { kind: "failed", error: "SNS said nothing about this entry" };
}

interface RefusedEntry {
  event: SelectedEvent;
  error: string;
}

const REFUSED: Columns<RefusedEntry> = {
  event_id: uuid(({ event }) => event.id),
  source: text(({ event }) => event.source),
  error: text(({ error }) => error),
};

const insertRefusals = new Statement(
  {},
  ({ table, value }: Slots<{ replayId: string; refused: readonly RefusedEntry[] }>) => sql`
    insert into replay_refusal (replay_id, event_id, source, error)
    select ${value(({ replayId }) => replayId)}, event_id, source, error
    from ${table("refused", REFUSED, ({ refused }) => refused)}
    on conflict do nothing`,
);

/**
 * The position advances only once the whole batch has an outcome; until then the query skips the events that
 * have one. Storing the same outcome again, after a commit of unknown outcome, counts it once.
 */
async function saveOutcomes(
  db: Database,
  replay: HeldReplay,
  { topicArn, entries }: Answered,
): Promise<HeldReplay> {
  const accepted = entries.flatMap(({ event, outcome }) =>
    outcome.kind === "accepted"
      ? [{ ...event, messageId: outcome.messageId, digest: hash("sha256", event.payload, "buffer") }]
      : [],
  );
  const refused = entries.flatMap(({ event, outcome }) =>
    outcome.kind === "refused" ? [{ event, error: outcome.error }] : [],
  );
  const last = entries.at(-1)?.event;
  const isWhole = accepted.length + refused.length === entries.length;
  const moved = await db.transaction().execute(async (trx) => {
    const refusedNow = await insertRefusals.write(trx, { replayId: replay.id, refused });
    const sent = await keepReplayed(trx, { id: replay.id, topicArn }, accepted);
    const progress = {
      handled: sent + refusedNow,
      sent,
      refused: refusedNow,
      ...(isWhole && last !== undefined
        ? { position: { at: last.at, id: last.id, source: last.source } }
        : {}),
    };
    // An acceptance is a fact: it is stored even if the lease was lost.
    return await saveProgress(trx, replay, progress).catch((error: unknown) => {
      if (error instanceof LeaseLost) return error;
      throw error;
    });
  });
  if (moved instanceof LeaseLost) throw moved;
  return moved;
}

const LIVE_MS = 20;
const CLOSED_MS = 1_000;

const CLOSED = {
  paused: "the topic is paused; resume it with: invoice-relay resume publish",
  refused: "SNS refuses the topic; once that is fixed: invoice-relay resume publish",
  backing_off: "the topic is backing off after a fault",
} as const;

/**
 * Live events go first: the next batch of a replay waits for every live event of the topic that was due when
 * the previous batch ended. So no live event waits behind more than one batch (G9), and replays still make
 * progress while new events keep arriving. Nothing is sent to a topic that is paused or backing off.
 * @returns why a replay may not send to this topic now.
 * @param since Postgres' clock when the previous batch ended; null before the first one.
 */
async function checkLiveEvents(
  db: Database,
  topicArn: string,
  routes: readonly Route[],
  since: string | null,
): Promise<Waits | null> {
  const topic = await readUpstreamRow(db, TOPIC, topicArn);
  const state = topic === null ? "closed" : stateOf(topic, TOPIC.policy);
  if (state !== "closed" && state !== "half_open")
    return { kind: "waits", why: CLOSED[state], ms: CLOSED_MS };
  const live = routes.filter((route) => route.topicArn === topicArn);
  const waiting = await countWaitingEvents(db, live, since);
  const why = `${waiting} live events go first (they need a running invoice-relay serve)`;
  return waiting === 0 ? null : { kind: "waits", why, ms: LIVE_MS };
}
