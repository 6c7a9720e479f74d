import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import {
  type Database,
  nullable,
  type RowOf,
  returned,
  type Slots,
  Statement,
  VaryingStatement,
} from "../../platform/database/index.ts";
import { answeredId } from "../../platform/validation/index.ts";
import { isAccepted, isLive, paidEventId, type Route } from "../publish/index.ts";
import {
  conditionOf,
  EVERY_FILTER,
  hasVerdict,
  type ReplayFilters,
  type ReplayTarget,
  type Selection,
} from "./replay.ts";

/** Test events never go to the live topic: without a route they are excluded. */
const hasRoute = (routes: readonly Route[]) => sql`
  (event.source, event.invoice_type) in (select * from unnest(
    ${routes.map((route) => route.source)}::text[], ${routes.map((route) => route.invoiceType)}::text[]))`;

const isInOutbox = (condition: RawBuilder<unknown>) => sql`
  exists (select from outbox where outbox.source = event.source and outbox.event_id = event.id
    and ${isLive} and ${condition})`;

/**
 * Only published events are replayed: others will still be sent, or wait for a decision. A person's may be to
 * send those of invoices that they name, which are held as Test invoices', to another topic.
 */
const isReplayed = ({ invoiceIds }: ReplayFilters, { kind }: ReplayTarget) => {
  const isPublished = sql`${isAccepted} and not ${isInOutbox(sql`true`)}`;
  return kind === "other_topic" && invoiceIds !== undefined
    ? sql`(${isPublished} or ${isInOutbox(sql`outbox.state = 'held'`)})`
    : isPublished;
};

const matchEvents = (filters: ReplayFilters, target: ReplayTarget, routes: readonly Route[]) => sql`
  from event
  where ${isReplayed(filters, target)}
    and ${target.kind === "topics" ? hasRoute(routes) : sql`true`}
    and ${conditionOf(filters, {
      from: (time) => sql`event.created_at >= ${time}`,
      to: (time) => sql`event.created_at < ${time}`,
      invoiceIds: (ids) => sql`
        event.id in (select ${paidEventId(sql`invoice_id`)} from unnest(${ids}::uuid[]) as given (invoice_id))`,
      collection: (name) => sql`event.collection_name = ${name}`,
      verdict: (verdict) => sql`
        exists (select from confirmation where confirmation.invoice_id = event.invoice_id
          and confirmation.source = event.source and ${hasVerdict(verdict)})`,
      source: (source) => sql`event.source = ${source}`,
    })}`;

const ANY = { filters: {}, target: { kind: "topics" }, routes: [] } as const;
const EVERY = { filters: EVERY_FILTER, target: { kind: "topics" }, routes: [] } as const;
const NAMED = { ...EVERY, target: { kind: "other_topic", topicArn: "" } } as const;

const selectEventCount = new VaryingStatement(
  { count: returned.count },
  ({ filters, target, routes }: Pick<EventSelection, "filters" | "target" | "routes">) =>
    sql`select count(*) as count ${matchEvents(filters, target, routes)}`,
  [ANY, EVERY, NAMED],
);

export const countEvents = async (
  db: Database,
  given: Pick<EventSelection, "filters" | "target" | "routes">,
): Promise<number> => (await selectEventCount.execute(db, given))[0]?.count ?? 0;

interface EventSelection extends Selection {
  target: ReplayTarget;
  routes: readonly Route[];
  /** Skips events that this replay has queued, or has an outcome for: only the rest is sent again (G5). */
  replayId: string | null;
}

/** The order of events; two sources may use the same event id. */
const place = sql`event.created_at, event.id, event.source`;

const isToQueue = (replayId: string) => sql`
  not exists (select from outbox where outbox.replay_id = ${replayId}
    and outbox.source = event.source and outbox.event_id = event.id)
  and not exists (select from publication where publication.replay_id = ${replayId}
    and publication.source = event.source and publication.event_id = event.id)
  and not exists (select from replay_refusal where replay_refusal.replay_id = ${replayId}
    and replay_refusal.source = event.source and replay_refusal.event_id = event.id)`;

const SELECTED = {
  id: returned.uuid,
  invoiceId: returned.uuid,
  source: returned.text(),
  invoiceType: returned.text(),
  /** When it was created, to the microsecond, for the position. */
  at: returned.text(),
} as const;
export type SelectedEvent = RowOf<typeof SELECTED>;

const select = ({ filters, target, routes, after, replayId, most }: EventSelection) => {
  const later =
    after === null
      ? sql`true`
      : sql`
        (${place}) >= (${after.at ?? "-infinity"}::timestamptz, ${after.id}::uuid,
          ${after.source ?? ""}::text)`;
  return sql`
    select event.id, event.invoice_id as "invoiceId", event.source,
      event.invoice_type as "invoiceType", event.created_at::text as at
    ${matchEvents(filters, target, routes)} and ${later}
      and ${replayId === null ? sql`true` : isToQueue(replayId)}
    order by ${place} limit ${most}`;
};

/** In the order created, from that position on: a replay that was stopped goes on with the event there. */
export const selectEvents = new VaryingStatement(SELECTED, select, [
  { ...ANY, after: null, replayId: null, most: 1 },
  { ...EVERY, after: { id: "" }, replayId: "", most: 1 },
  { ...NAMED, after: null, replayId: null, most: 1 },
]);

/** Counts each event once: an acceptance of unknown outcome may be kept twice. */
const OUTCOMES = { sent: returned.count, refused: returned.count, handled: returned.count } as const;

const selectOutcomeCounts = new Statement(OUTCOMES, ({ value }: Slots<{ replayId: string }>) => {
  const replayId = sql`${value((given) => given.replayId)}::uuid`;
  return sql`
    with accepted as (select distinct source, event_id from publication where replay_id = ${replayId}),
      refused as (select source, event_id from replay_refusal where replay_id = ${replayId})
    select (select count(*) from accepted) as sent, (select count(*) from refused) as refused,
      (select count(*) from (select * from accepted union select * from refused) as events) as handled`;
});

/** Counts every outcome of a replay, under all holders of its lease. */
export async function countOutcomes(
  db: Database,
  replayId: string,
): Promise<{ handled: number; sent: number; refused: number }> {
  const [counts] = await selectOutcomeCounts.execute(db, { replayId });
  return counts ?? { handled: 0, sent: 0, refused: 0 };
}

/** An entry of a replay that SNS refused. */
export const replayRefusal = z.object({
  eventId: answeredId,
  source: z.string(),
  /** null when its event is gone. */
  invoiceId: answeredId.nullable(),
  error: z.string(),
});

const selectRefusals = new Statement(
  {
    eventId: returned.uuid,
    source: returned.text(),
    invoiceId: nullable(returned.uuid),
    error: returned.text(),
  },
  ({ value }: Slots<string>) => sql`
    select event_id as "eventId", replay_refusal.source, event.invoice_id as "invoiceId", error
    from replay_refusal left join event on event.source = replay_refusal.source and event.id = event_id
    where replay_id = ${value((id) => id)}::uuid
    order by refused_at, event_id limit 100`,
);

/** The first of the entries that SNS refused. */
export const listRefusals = (db: Database, replayId: string) => selectRefusals.execute(db, replayId);
