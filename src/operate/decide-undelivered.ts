import type { Transaction } from "kysely";
import { type AlarmName, closeAlarms } from "../alarms/alarms.ts";
import { audit, type ByHand } from "../alarms/audit.ts";
import { dismissConfirmations, releaseConfirmations } from "../confirm/queue/change-confirmations.ts";
import type { Priority } from "../confirm/queue/confirmation.ts";
import { openConfirmations } from "../confirm/queue/open.ts";
import { databaseClock } from "../database/server.ts";
import type { Database, Tables } from "../database/tables.ts";
import { messageOf, RelayError, usageError } from "../kit/errors.ts";
import { countText } from "../kit/text.ts";
import type { EventKey } from "../publish/event-log.ts";
import { dismissDeadEvents, reviveDeadEvents } from "../publish/outbox.ts";
import { notifyWorkers } from "../work/wake-up.ts";
import {
  listUndelivered,
  type UndeliveredItem,
  type UndeliveredList,
  type UndeliveredSelection,
} from "./list-undelivered.ts";

interface Decision extends ByHand {
  selection: UndeliveredSelection;
  /** Only report what would change. */
  dryRun?: boolean | undefined;
  /** Is told of each thousand of those that a filter selects. */
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
  if (result.count > 0) for (const work of ["confirm", "publish"] as const) await notifyWorkers(db, work);
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
