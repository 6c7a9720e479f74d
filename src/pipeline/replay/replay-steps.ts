import { sql } from "kysely";
import { type Database, type Slots, Statement } from "../../platform/database/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import { readUpstreamRow, stateOf, TOPIC } from "../../platform/upstreams/index.ts";
import { countUnaskedReplays, openConfirmations, type ToOpen } from "../confirm/index.ts";
import {
  queueReplayed,
  type ReplayQueue,
  type Route,
  readReplayQueue,
  takeRefused,
} from "../publish/index.ts";
import type {
  LeasedReplay,
  Position,
  ReplaySteps,
  ReplayTarget,
  Selection,
  StepOutcome,
  Waits,
} from "./replay.ts";
import { saveProgress, saveTotals } from "./replay-rows.ts";
import { countOutcomes, type SelectedEvent, selectEvents } from "./select-events.ts";
import { findUnopened, selectCallbacks, selectConfirmations } from "./select-invoices.ts";

interface AskingAgainOptions {
  db: Database;
  /** Wakes the confirming workers, after a commit that opened confirmations. */
  onConfirmations: () => void | Promise<void>;
  /** The sources that are asked at all: confirmations of others delay no replay. */
  sources: readonly string[];
  /** The most replayed confirmations that may wait to be asked (G8). */
  openLimit?: number;
}

const OPEN_LIMIT = 1_000;
/** How soon each polls whether it may continue. */
const LOOK_AGAIN_MS = { ask: 250, publish: 50 };

interface AskingAgain<Item> {
  /** The next of them, in order. */
  select: { execute(db: Database, selection: Selection): Promise<Item[]> };
  /** The confirmations that they open. */
  toOpen(db: Database, items: readonly Item[]): Promise<readonly ToOpen[]>;
  positionOf(last: Item): Position;
}

/** Opens confirmations again, behind live ones (G9). */
const askingAgain =
  <Item>({ select, toOpen, positionOf }: AskingAgain<Item>) =>
  (options: AskingAgainOptions): ReplaySteps => ({
    async next(replay, most) {
      const { db, onConfirmations } = options;
      const { filters, position: after } = replay;
      const full = await checkRoom(options, replay);
      if (full !== null) return full;
      const items = await select.execute(db, { filters, after, most });
      const last = items.at(-1);
      if (last === undefined) return { kind: "ends" };
      const opened = await toOpen(db, items);
      const moved = await db.transaction().execute(async (trx) => {
        await openConfirmations(trx, opened, { openedBy: "replay", priority: "replay" });
        failpoint("confirmations to be opened again");
        const [handled, position] = [items.length, positionOf(last)];
        return await saveProgress(trx, replay, { handled, opened: opened.length, position });
      });
      failpoint("confirmations opened again");
      if (opened.length > 0) await onConfirmations();
      return { kind: "went", replay: moved, taken: items.length };
    },
  });

export const confirmationsSteps = askingAgain({
  select: selectConfirmations,
  // Asking again must not publish what a back-fill only recorded: an existing confirmation keeps its flag.
  toOpen: async (_, confirmations) => confirmations.map((one) => ({ ...one, recordOnly: true })),
  positionOf: ({ invoiceId: id, source }) => ({ id, source }),
});

/** Of recorded callbacks, for invoice ids that were not found before, or whose confirmation was lost. */
export const callbacksSteps = askingAgain({
  select: selectCallbacks,
  async toOpen(db, callbacks) {
    const unopened = await findUnopened(db, callbacks);
    failpoint("callbacks read again");
    return unopened;
  },
  positionOf: ({ at, id }) => ({ at, id }),
});

/**
 * For a replay of one source, confirmations of other sources do not count towards the limit. For any replay,
 * those of sources that the settings no longer name do not count.
 * @returns why it has to wait; null below the limit.
 */
async function checkRoom(
  { db, sources, openLimit = OPEN_LIMIT }: AskingAgainOptions,
  { filters }: Pick<LeasedReplay, "filters">,
): Promise<Waits | null> {
  const open = await countUnaskedReplays(db, filters.source === undefined ? sources : [filters.source]);
  return open < openLimit
    ? null
    : { kind: "waits", why: `${open} replayed confirmations are still waiting`, ms: LOOK_AGAIN_MS.ask };
}

interface QueueingOptions {
  db: Database;
  routes: readonly Route[];
  /** Wakes the publishers, after a commit that queued events. */
  onEvents: () => void | Promise<void>;
}

/** The most events of a replay that wait to be sent (G8); at a low rate, those of one second. */
const AHEAD_LIMIT = 500;

/**
 * Puts events into the outbox again, a little ahead of the publishers, which send them after all live ones
 * (replay is safe, G9). Their outcomes are read there: an event whose row is gone was accepted. Done once no
 * row is left.
 */
export const eventsSteps = ({ db, routes, onEvents }: QueueingOptions): ReplaySteps => ({
  async next(replay, most) {
    const { id: replayId, filters, target, rate } = replay;
    const queue = await readReplayQueue(db, replayId);
    const { waiting, refused, topicRefusal } = queue;
    if (topicRefusal !== null) return { kind: "fails", why: `SNS refuses the topic: ${topicRefusal}` };
    const hasRoom = waiting === 0 || waiting + most <= Math.min(AHEAD_LIMIT, rate);
    const selection = { filters, target, routes, after: replay.position, replayId, most };
    const events = hasRoom ? await selectEvents.execute(db, selection) : [];
    if (waiting === 0 && events.length === 0) {
      await saveTotals(db, replay, await countOutcomes(db, replayId));
      return { kind: "ends" };
    }
    const last = events.at(-1);
    const handled = replay.queued - waiting + refused - replay.handled;
    if (last === undefined && handled === 0) return await waitFor(db, queue);
    const moved = await db.transaction().execute(async (trx) => {
      // Locks its row first, as a cancellation does.
      const saved = await saveProgress(trx, replay, {
        ...{ handled, refused, sent: handled - refused, queued: events.length },
        ...(last === undefined ? {} : { position: { at: last.at, id: last.id, source: last.source } }),
      });
      if (refused > 0) await keepRefusals.execute(trx, { replayId, count: refused });
      await queueReplayed.execute(trx, {
        replayId,
        events: events.map((event) => addressed(event, target, routes)),
      });
      failpoint("events to be queued again");
      return saved;
    });
    failpoint("events queued again");
    if (last === undefined) {
      const outcome = await waitFor(db, queue);
      return outcome.kind === "waits" ? { ...outcome, replay: moved } : outcome;
    }
    await onEvents();
    return { kind: "went", replay: moved, taken: events.length };
  },
});

function addressed(event: SelectedEvent, target: ReplayTarget, routes: readonly Route[]) {
  const { source, invoiceType } = event;
  const topicArn =
    target.kind === "other_topic"
      ? target.topicArn
      : routes.find((route) => route.source === source && route.invoiceType === invoiceType)?.topicArn;
  if (topicArn === undefined) throw new Error(`No topic for the event ${event.id} of source ${source}`);
  return { ...event, topicArn };
}

const keepRefusals = new Statement({}, ({ value }: Slots<{ replayId: string; count: number }>) => {
  const replayId = sql`${value((given) => given.replayId)}::uuid`;
  return sql`
    with refused as (${takeRefused(
      replayId,
      value(({ count }) => count),
    )})
    insert into replay_refusal (replay_id, source, event_id, error)
    select ${replayId}, source, event_id, error from refused on conflict do nothing`;
});

const CLOSED_MS = 1_000;

const CLOSED = {
  paused: "the topic is paused",
  backing_off: "the topic is backing off after a fault",
} as const;

/** Until some of what waits is sent; says why if that takes longer than usual. */
async function waitFor(db: Database, { topicArn, failure, stands }: ReplayQueue): Promise<StepOutcome> {
  const topic = topicArn === null ? null : await readUpstreamRow(db, TOPIC, topicArn);
  const state = topic === null ? "closed" : stateOf(topic, TOPIC.policy);
  // A person mends that; others of its kind go on meanwhile.
  if (state === "refused") return { kind: "fails", why: "SNS refuses the topic" };
  if (state !== "closed" && state !== "half_open")
    return { kind: "waits", why: CLOSED[state], ms: CLOSED_MS };
  const stood = stands === true ? "live events go first, or no relay runs that sends to this topic" : null;
  const why = failure === null ? stood : `SNS fails: ${failure}`;
  return { kind: "waits", why, ms: LOOK_AGAIN_MS.publish };
}
