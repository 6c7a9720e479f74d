import { type RawBuilder, sql, type Transaction } from "kysely";
import { z } from "zod";
import {
  dismissConfirmations,
  openConfirmations,
  type Priority,
  releaseConfirmations,
} from "../pipeline/confirm/index.ts";
import { dismissDeadEvents, type EventKey, isLive, reviveDeadEvents } from "../pipeline/publish/index.ts";
import { type AlarmName, closeAlarms } from "../platform/alarms/index.ts";
import { audit, type ByHand } from "../platform/audit/index.ts";
import {
  type Database,
  nullable,
  type RowOf,
  returned,
  type Tables,
  VaryingStatement,
} from "../platform/database/index.ts";
import { usageError } from "../platform/errors/index.ts";
import { collection, source } from "./list/fields.ts";

/**
 * Undelivered items that wait for a person: dead letters (confirmations and events that were given up), or
 * invoices in quarantine.
 */
export type UndeliveredList = "dead" | "quarantine";

export const undeliveredFilters = z.strictObject({
  kind: z.enum(["confirmation", "event"]).optional().describe("only confirmations, or only events"),
  source,
  collection,
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
  const { kind, source, collection } = selection.filters;
  return sql`"dismissedAt" is null and kind = coalesce(${kind ?? null}, kind)
    and source = coalesce(${source ?? null}, source)
    and (${collection ?? null}::text is null or collection = ${collection ?? null})`;
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

interface Decision extends ByHand {
  selection: UndeliveredSelection;
  /** Only report what would change. */
  dryRun?: boolean | undefined;
}

interface DecisionKind {
  list: UndeliveredList;
  action: string;
  alarms: readonly AlarmName[];
  /** Whether to skip items that are already dismissed. */
  leavesDismissed: boolean;
  change(trx: Transaction<Tables>, items: readonly UndeliveredItem[], priority: Priority): Promise<void>;
}

/** The most that one decision is about; the same again decides about the rest. */
const AT_ONCE = 10_000;
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
  { db, actor, selection, reason, dryRun = false }: Decision,
  { list, action, alarms, leavesDismissed, change }: DecisionKind,
) {
  if (dryRun) {
    const { total, items } = await listUndelivered({ db, list, selection, limit: SHOWN });
    refuseAmbiguous(items, selection);
    return { dryRun, count: total, items };
  }
  const decided = await db.transaction().execute(async (trx) => {
    const listed = await listUndelivered({ db: trx, list, selection, limit: AT_ONCE });
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
  return { dryRun, count: decided.length, items: decided.slice(0, SHOWN) };
}

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
