import { type RawBuilder, sql, type Transaction } from "kysely";
import { z } from "zod";
import {
  dismissConfirmations,
  openConfirmations,
  type Priority,
  readConfirmation,
  readPayment,
  releaseConfirmations,
} from "../pipeline/confirm/index.ts";
import {
  dismissDeadEvents,
  type EventKey,
  isLive,
  readEvent,
  reviveDeadEvents,
} from "../pipeline/publish/index.ts";
import { callbacksAbout } from "../pipeline/receive/index.ts";
import { type AlarmName, closeAlarms } from "../platform/alarms/index.ts";
import { audit, type ByHand } from "../platform/audit/index.ts";
import {
  type Database,
  databaseClock,
  inSnapshot,
  nullable,
  type RowOf,
  returned,
  type Tables,
  VaryingStatement,
} from "../platform/database/index.ts";
import { messageOf, RelayError, usageError } from "../platform/errors/index.ts";
import { countText, type Mask } from "../platform/values/index.ts";
import { collection, source, timeGiven } from "./list/fields.ts";

/**
 * Undelivered items that wait for a person: dead letters (confirmations and events that were given up), or
 * invoices in quarantine.
 */
export type UndeliveredList = "dead" | "quarantine";

export const undeliveredFilters = z.strictObject({
  kind: z.enum(["confirmation", "event"]).optional().describe("only confirmations, or only events"),
  source,
  collection,
  from: timeGiven.optional().describe("only those waiting since this time (UTC) or later"),
  to: timeGiven.optional().describe("only those waiting since before this time (UTC)"),
});

type UndeliveredFilters = Partial<z.output<typeof undeliveredFilters>>;

/**
 * Selects by invoice or event id, dismissed items included, or all undismissed items that match the filters.
 */
type UndeliveredSelection =
  | { ids: readonly string[] /** All sources by default. */; source?: string | undefined }
  | { filters: UndeliveredFilters };

const ITEM = {
  kind: returned.text<"confirmation" | "event">(),
  invoiceId: returned.uuid,
  /** null for a confirmation. */
  eventId: nullable(returned.uuid),
  source: returned.text(),
  collection: nullable(returned.text()),
  /** The merchant's reference. */
  reference: nullable(returned.text()),
  /** The total, as a decimal string; this and the reference are as last confirmed. */
  amount: nullable(returned.numeric),
  /** Waiting since; for an event, its last attempt. */
  since: returned.time,
  /** Answers that used up a step of the retry schedule, or attempts to send. */
  attempts: returned.integer,
  error: nullable(returned.text()),
  /** null unless an operator has dismissed it. */
  dismissedAt: nullable(returned.time),
};

type UndeliveredItem = RowOf<typeof ITEM>;

const CONFIRMATIONS: Record<UndeliveredList, RawBuilder<unknown>> = {
  dead: sql`confirmation.state = 'dead'`,
  quarantine: sql`confirmation.verdict = 'quarantined' and confirmation.released_at is null`,
};

// A confirmation that was decided again after it was dismissed is listed again.
const confirmations = (list: UndeliveredList) => sql`
  select 'confirmation' as kind, confirmation.invoice_id as "invoiceId", null::uuid as "eventId",
    confirmation.source, invoice.collection_name as collection,
    invoice.reference, invoice.total_amount as amount,
    coalesce(confirmation.settled_at, confirmation.requested_at) as since, confirmation.attempt as attempts,
    confirmation.last_error as error,
    case when confirmation.dismissed_at >= confirmation.settled_at then confirmation.dismissed_at end
      as "dismissedAt"
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where ${CONFIRMATIONS[list]}`;

const events = sql`
  select 'event' as kind, event.invoice_id as "invoiceId", event.id as "eventId", event.source,
    event.collection_name as collection, invoice.reference, invoice.total_amount as amount,
    outbox.due_at as since, outbox.attempt as attempts,
    outbox.last_error as error, outbox.dismissed_at as "dismissedAt"
  from outbox join event on event.source = outbox.source and event.id = outbox.event_id
  left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
  where outbox.state = 'dead' and ${isLive}`;

const itemsOf = (list: UndeliveredList) =>
  list === "dead" ? sql`${confirmations(list)} union all ${events}` : confirmations(list);

function chosen(selection: UndeliveredSelection): RawBuilder<unknown> {
  if ("ids" in selection)
    return sql`("invoiceId" = any(${selection.ids}::uuid[]) or "eventId" = any(${selection.ids}::uuid[]))
      and source = coalesce(${selection.source ?? null}, source)`;
  const { kind, source, collection, from, to } = selection.filters;
  return sql`"dismissedAt" is null and kind = coalesce(${kind ?? null}, kind)
    and source = coalesce(${source ?? null}, source)
    and (${collection ?? null}::text is null or collection = ${collection ?? null})
    and since >= coalesce(${from ?? null}::timestamptz, '-infinity')
    and since < coalesce(${to ?? null}::timestamptz, 'infinity')`;
}

interface Listing {
  list: UndeliveredList;
  selection: UndeliveredSelection;
  limit: number;
}

const selectUndelivered = new VaryingStatement(
  { ...ITEM, total: returned.count },
  ({ list, selection, limit }: Listing) => sql`
    select *, count(*) over () as total from (${itemsOf(list)}) as undelivered where ${chosen(selection)}
    order by since, "invoiceId", source, kind limit ${limit}`,
  [
    { list: "dead", selection: { ids: [] }, limit: 1 },
    { list: "quarantine", selection: { filters: {} }, limit: 1 },
  ],
);

/** Oldest first, and the total count. */
export async function listUndelivered({
  db,
  list,
  selection = { filters: {} },
  limit = 50,
}: {
  db: Database;
  list: UndeliveredList;
  selection?: UndeliveredSelection;
  limit?: number;
}): Promise<{ total: number; items: UndeliveredItem[] }> {
  const rows = await selectUndelivered.execute(db, { list, selection, limit });
  return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...item }) => item) };
}

type Evidence = Awaited<ReturnType<typeof withEvidence>>;

/**
 * @param id of an invoice or event
 * @param source by default all that know the id
 * @returns nothing when it is not in that list.
 */
export async function showUndelivered({
  db,
  list,
  id,
  source,
  personal = (text) => text,
}: {
  db: Database;
  list: UndeliveredList;
  id: string;
  source?: string | undefined;
  /** Takes out what its reader may not see of people. */
  personal?: Mask;
}): Promise<Evidence[]> {
  return await inSnapshot(db, async (snapshot) => {
    const { items } = await listUndelivered({ db: snapshot, list, selection: { ids: [id], source } });
    const found: Evidence[] = [];
    for (const item of items) found.push(await withEvidence(snapshot, item, personal));
    return found;
  });
}

async function withEvidence(db: Database, item: UndeliveredItem, personal: Mask) {
  const { eventId, source } = item;
  const confirmation = await readConfirmation(db, item);
  const event = eventId === null ? null : await readEvent(db, { id: eventId, source });
  return {
    ...item,
    confirmation: confirmation && {
      ...confirmation,
      lastAnswer: confirmation.lastAnswer && personal(confirmation.lastAnswer),
    },
    event: event && { ...event, payload: personal(event.payload) },
    invoice: await readPayment(db, item),
    callbacks: await callbacksAbout(db, item),
  };
}

interface Decision extends ByHand {
  selection: UndeliveredSelection;
  /** Only report what would change. */
  dryRun?: boolean | undefined;
  /** Receives each thousand that a filter selects. */
  onProgress?: (done: number, total: number) => void;
}

interface DecisionKind {
  list: UndeliveredList;
  action: string;
  alarms: readonly AlarmName[];
  /** Whether to skip items that are already dismissed. */
  leavesDismissed: boolean;
  change(trx: Transaction<Tables>, items: readonly UndeliveredItem[], priority: Priority): Promise<void>;
}

const AT_ONCE = 1_000;
const SHOWN = 100;

/**
 * Asks dead confirmations again and sends dead events again, from the beginning. Items selected by filter let
 * live traffic go first.
 * @throws RelayError for an id that several sources know, unless the selection names one.
 */
export const retryDead = (decision: Decision) =>
  decide(decision, {
    list: "dead",
    action: "dead.retry",
    alarms: ["confirmation_dead", "event_dead"],
    leavesDismissed: false,
    async change(trx, items, priority) {
      // A confirmation that only records stays that way.
      const toOpen = confirmationsIn(items).map((one) => ({ ...one, recordOnly: true }));
      await openConfirmations(trx, toOpen, { openedBy: "operator", priority });
      await reviveDeadEvents(trx, eventsIn(items));
    },
  });

/**
 * Stops listing dead letters unless they die again; they are kept, and certificates still name them.
 * @throws as above
 */
export const dismissDead = (decision: Decision) =>
  decide(decision, {
    list: "dead",
    action: "dead.dismiss",
    alarms: ["confirmation_dead", "event_dead", "provider_answer_outside_contract"],
    leavesDismissed: true,
    async change(trx, items) {
      await dismissConfirmations(trx, confirmationsIn(items));
      await dismissDeadEvents(trx, eventsIn(items));
    },
  });

/**
 * Releases invoices from quarantine: the provider is asked again, and they are published if still paid.
 * @throws as above
 */
export const releaseQuarantine = (decision: Decision) =>
  decide(decision, {
    list: "quarantine",
    action: "quarantine.release",
    alarms: ["invoice_quarantined"],
    leavesDismissed: false,
    async change(trx, items, priority) {
      await releaseConfirmations(trx, items);
      await openConfirmations(trx, items, { openedBy: "operator", priority });
    },
  });

/**
 * Stops listing quarantined invoices unless they are quarantined again; they stay unpublished, and
 * certificates still name them.
 * @throws as above
 */
export const dismissQuarantine = (decision: Decision) =>
  decide(decision, {
    list: "quarantine",
    action: "quarantine.dismiss",
    alarms: ["invoice_quarantined"],
    leavesDismissed: true,
    change: (trx, items) => dismissConfirmations(trx, items),
  });

const confirmationsIn = (items: readonly UndeliveredItem[]) =>
  items.filter(({ kind }) => kind === "confirmation");

const eventsIn = (items: readonly UndeliveredItem[]): EventKey[] =>
  items.flatMap(({ eventId: id, source }) => (id === null ? [] : [{ id, source }]));

async function decide(
  { db, actor, selection, reason, dryRun = false, onProgress = () => undefined }: Decision,
  kind: DecisionKind,
) {
  if (dryRun) {
    const { total, items } = await listUndelivered({ db, list: kind.list, selection, limit: SHOWN });
    refuseAmbiguous(items, selection);
    return { dryRun, count: total, items };
  }
  const bounded = await upToNow(db, selection);
  const result = { dryRun, count: 0, items: [] as UndeliveredItem[] };
  const isMany = !("ids" in selection);
  const { total } = isMany
    ? await listUndelivered({ db, list: kind.list, selection: bounded, limit: 1 })
    : { total: 0 };
  for (;;) {
    const items = await decideSome({ db, actor, reason }, bounded, kind).catch((error: unknown) => {
      if (result.count === 0) throw error;
      throw new RelayError(
        `Stopped after ${countText(result.count)}, which are done and audited; the rest is as it was. Repeat it for ` +
          `the rest. The reason: ${messageOf(error)}`,
        { next: "retry", cause: error },
      );
    });
    result.count += items.length;
    result.items.push(...items.slice(0, SHOWN - result.items.length));
    if (isMany) onProgress(result.count, Math.max(total, result.count));
    if (items.length < AT_ONCE || !isMany) break;
  }
  return result;
}

// Items that die again in the meantime are not processed a second time.
async function upToNow(db: Database, selection: UndeliveredSelection): Promise<UndeliveredSelection> {
  if ("ids" in selection || selection.filters.to !== undefined) return selection;
  return { filters: { ...selection.filters, to: await databaseClock(db) } };
}

function decideSome(
  { db, actor, reason }: ByHand,
  selection: UndeliveredSelection,
  { list, action, alarms, leavesDismissed, change }: DecisionKind,
): Promise<UndeliveredItem[]> {
  return db.transaction().execute(async (trx) => {
    const limit = "ids" in selection ? ALL : AT_ONCE;
    const listed = await listUndelivered({ db: trx, list, selection, limit });
    const items = listed.items.filter(({ dismissedAt }) => !leavesDismissed || dismissedAt === null);
    refuseAmbiguous(items, selection);
    if (items.length === 0) return items;
    await change(trx, items, "ids" in selection ? "known" : "replay");
    await closeAlarms(
      trx,
      alarms,
      items.map((item) => ({ source: item.source, subject: subjectOf(item) })),
    );
    await audit(
      trx,
      items.map((item) => ({
        actor,
        action,
        subject: subjectOf(item),
        invoiceId: item.invoiceId,
        detail: { kind: item.kind, source: item.source, attempts: item.attempts, error: item.error },
        reason,
      })),
    );
    return items;
  });
}

/** For a selection by id: no limit. */
const ALL = 1_000_000;

const subjectOf = (item: UndeliveredItem): string => item.eventId ?? item.invoiceId;

function refuseAmbiguous(items: readonly UndeliveredItem[], selection: UndeliveredSelection): void {
  if (!("ids" in selection) || selection.source !== undefined) return;
  const sources = new Map<string, Set<string>>();
  for (const { invoiceId, source } of items)
    sources.set(invoiceId, (sources.get(invoiceId) ?? new Set()).add(source));
  for (const [invoiceId, names] of sources)
    if (names.size > 1)
      throw usageError(
        `Several sources know ${invoiceId}: ${[...names].sort().join(", ")}. Choose one with --source.`,
      );
}
