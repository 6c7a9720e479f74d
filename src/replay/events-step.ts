import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Route } from "../publish/claim-events.ts";
import { batchesOf, entryOf } from "../publish/entry.ts";
import type { BatchOutcome, EntryOutcome, SnsSender } from "../publish/sns-sender.ts";
import { backOffMs } from "../workers/back-off.ts";
import type { HeldReplay } from "./replay.ts";
import type { Step } from "./replay-step.ts";
import { LeaseLost, saveProgress } from "./replay-store.ts";
import { databaseClock, rightOfWay } from "./right-of-way.ts";
import { type SelectedEvent, selectEvents } from "./select-events.ts";

export interface EventsStepOptions {
  db: Kysely<Tables>;
  /** Of its own, so that a replay never holds a connection that live events want. */
  sender: SnsSender;
  routes: readonly Route[];
}

const BACK_OFF = { firstMs: 500, capMs: 30_000 };

/**
 * Publishes again, one batch at a time and never one before live events that wait already (G9). The outcome of
 * every entry is kept before it goes on; what failed is sent again, alone with its like, after a back-off (G5).
 */
export function eventsStep({ db, sender, routes }: EventsStepOptions): Step {
  let faults = 0;
  /** So many go alone, because SNS refused the batch they were in. */
  let alone = 0;
  let lastBatchEnded: string | null = null;

  return async (replay, most) => {
    const { filters, target, position } = replay;
    const events = await selectEvents(db, {
      filters,
      target,
      routes,
      after: position,
      replayId: replay.id,
      most: alone > 0 ? 1 : most,
    });
    const batch = firstBatch(events, replay, routes);
    if (batch === null) return { kind: "ends" };
    const waits = await rightOfWay(db, batch.topicArn, routes, lastBatchEnded);
    if (waits !== null) return { kind: "waits", ...waits };

    const outcome = await sender.send(
      batch.topicArn,
      batch.items.map((item) => item.entry),
    );
    if (outcome.kind === "topic_refused")
      return { kind: "fails", why: `SNS refuses the topic ${batch.topicArn}: ${outcome.error}` };
    if (outcome.kind === "refused" && batch.items.length > 1) {
      alone = batch.items.length;
      return { kind: "waits", why: "SNS refused a batch; its entries go one by one", ms: 0 };
    }
    const settled = batch.items.map(({ event }) => ({ event, outcome: outcomeOf(event, outcome) }));
    const moved = await keepOutcomes(db, replay, batch.topicArn, settled);
    lastBatchEnded = await databaseClock(db);
    alone = Math.max(0, alone - 1);
    const failed = settled.flatMap(({ outcome }) => (outcome.kind === "failed" ? [outcome.error] : []));
    if (failed.length > 0) {
      faults += 1;
      const why = `SNS fails ${failed.length} of ${settled.length} entries: ${failed[0]}`;
      return { kind: "waits", replay: moved, why, ms: backOffMs(faults, BACK_OFF) };
    }
    faults = 0;
    return { kind: "went", replay: moved, taken: settled.length };
  };
}

interface Batch {
  topicArn: string;
  items: (ReturnType<typeof entryOf> & { event: SelectedEvent })[];
}

/** As many of the first ones as go to one topic in one batch. */
function firstBatch(
  events: readonly SelectedEvent[],
  replay: HeldReplay,
  routes: readonly Route[],
): Batch | null {
  const { target } = replay;
  const topicOf = (event: SelectedEvent): string | undefined =>
    target.kind === "other_topic"
      ? target.topicArn
      : routes.find((route) => route.source === event.source && route.invoiceType === event.invoiceType)
          ?.topicArn;
  const [first] = events;
  const topicArn = first === undefined ? undefined : topicOf(first);
  if (topicArn === undefined) return null;
  const strangers = events.findIndex((event) => topicOf(event) !== topicArn);
  const together = strangers === -1 ? events : events.slice(0, strangers);
  const [items = []] = batchesOf(
    together.map((event) => ({ event, ...entryOf(event, topicArn, replay.id) })),
  );
  return { topicArn, items };
}

function outcomeOf(
  event: SelectedEvent,
  batch: Exclude<BatchOutcome, { kind: "topic_refused" }>,
): EntryOutcome {
  if (batch.kind !== "answered") return { kind: batch.kind, error: batch.error };
  return batch.entries.get(event.id) ?? { kind: "failed", error: "SNS said nothing about this entry" };
}

type Settled = { event: SelectedEvent; outcome: EntryOutcome };

/** The position moves only once the whole batch has an outcome; until then the query leaves out those that have. */
async function keepOutcomes(
  db: Kysely<Tables>,
  replay: HeldReplay,
  topicArn: string,
  settled: readonly Settled[],
): Promise<HeldReplay> {
  const accepted = settled.flatMap(({ event, outcome }) =>
    outcome.kind === "accepted" ? [{ id: event.id, messageId: outcome.messageId }] : [],
  );
  const refused = settled.flatMap(({ event, outcome }) =>
    outcome.kind === "refused" ? [{ id: event.id, error: outcome.error }] : [],
  );
  const last = settled.at(-1)?.event;
  const whole = accepted.length + refused.length === settled.length;
  const moved = await db.transaction().execute(async (trx) => {
    await sql`
      with refusals as (
        insert into replay_refusal (replay_id, event_id, error)
        select ${replay.id}, * from unnest(${refused.map((r) => r.id)}::uuid[], ${refused.map((r) => r.error)}::text[])
        on conflict do nothing)
      insert into publication (event_id, topic_arn, replay_id, message_id)
      select event_id, ${topicArn}, ${replay.id}, message_id
      from unnest(${accepted.map((a) => a.id)}::uuid[], ${accepted.map((a) => a.messageId)}::text[]) as given (event_id, message_id)`.execute(
      trx,
    );
    const progress = {
      handled: accepted.length + refused.length,
      sent: accepted.length,
      refused: refused.length,
      ...(whole && last !== undefined ? { position: { at: last.at, id: last.id } } : {}),
    };
    // Lost or not, an acceptance is kept, because it happened.
    return await saveProgress(trx, replay, progress).catch(lostLease);
  });
  if (moved instanceof LeaseLost) throw moved;
  return moved;
}

function lostLease(error: unknown): LeaseLost {
  if (error instanceof LeaseLost) return error;
  throw error;
}
