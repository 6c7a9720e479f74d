import { type Kysely, sql, type Transaction } from "kysely";
import type { AlarmName } from "../database/alarms.ts";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { openQuestions } from "../record/open-questions.ts";
import { notifyWorkers } from "../workers/notify-workers.ts";
import { closeAlarms } from "./close-alarms.ts";
import { type AsideItem, type AsideList, type AsideSelection, listAside } from "./set-aside.ts";

export interface AsideAction {
  db: Kysely<Tables>;
  actor: string;
  selection: AsideSelection;
  /** Only say what it would touch. */
  dryRun?: boolean | undefined;
}

export interface AsideResult {
  dryRun: boolean;
  count: number;
  /** The first of them. */
  items: AsideItem[];
}

interface Kind {
  list: AsideList;
  action: string;
  alarms: readonly AlarmName[];
  /** Whether one that is dismissed already is left alone. */
  leavesDismissed: boolean;
  change(trx: Transaction<Tables>, items: readonly AsideItem[], lane: "known" | "replay"): Promise<void>;
}

const AT_ONCE = 1_000;
const SHOWN = 100;

/** Dead questions are asked again, dead events sent again, from the first step; by filter they leave way to live traffic. */
export const retryDead = (options: AsideAction) =>
  act(options, {
    list: "dead",
    action: "dead.retry",
    alarms: ["question_dead", "event_dead"],
    leavesDismissed: false,
    async change(trx, items, lane) {
      await reviveEvents(trx, items);
      const questions = items.filter((item) => item.kind === "question");
      // What was opened only to be recorded stays so.
      await openQuestions(trx, questions, { openedBy: "operator", lane, recordOnly: true });
    },
  });

/** They are listed no more, unless they die again; they are kept, and certificates still name them. */
export const dismissDead = (options: AsideAction) =>
  act(options, {
    list: "dead",
    action: "dead.dismiss",
    alarms: ["question_dead", "event_dead"],
    leavesDismissed: true,
    change: dismiss,
  });

/** Lets invoices out of quarantine: they are asked for again, and published if they are still paid. */
export const releaseQuarantine = (options: AsideAction) =>
  act(options, {
    list: "quarantine",
    action: "quarantine.release",
    alarms: ["invoice_quarantined"],
    leavesDismissed: false,
    async change(trx, items, lane) {
      await sql`
        update confirmation set released_at = clock_timestamp()
        from unnest(${items.map((item) => item.invoiceId)}::uuid[], ${items.map((item) => item.source)}::text[]) as given (invoice_id, source)
        where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`.execute(trx);
      await openQuestions(trx, items, { openedBy: "operator", lane });
    },
  });

/** They are listed no more, unless they are quarantined anew; they stay unpublished, and certificates still name them. */
export const dismissQuarantine = (options: AsideAction) =>
  act(options, {
    list: "quarantine",
    action: "quarantine.dismiss",
    alarms: ["invoice_quarantined"],
    leavesDismissed: true,
    change: dismiss,
  });

async function act({ db, actor, selection, dryRun = false }: AsideAction, kind: Kind): Promise<AsideResult> {
  if (dryRun) {
    const { total, items } = await listAside({ db, list: kind.list, selection, limit: SHOWN });
    return { dryRun, count: total, items };
  }
  const bounded = await upToNow(db, selection);
  const lane = "ids" in selection ? "known" : "replay";
  const result: AsideResult = { dryRun, count: 0, items: [] };
  for (;;) {
    const items = await actOnSome(db, actor, bounded, kind, lane);
    result.count += items.length;
    result.items.push(...items.slice(0, SHOWN - result.items.length));
    if (items.length < AT_ONCE || "ids" in selection) break;
  }
  if (result.count > 0) for (const work of ["confirm", "publish"] as const) await notifyWorkers(db, work);
  return result;
}

// What dies again meanwhile is not taken up a second time.
async function upToNow(db: Kysely<Tables>, selection: AsideSelection): Promise<AsideSelection> {
  if ("ids" in selection || selection.filters.to !== undefined) return selection;
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  return { filters: { ...selection.filters, to: rows[0]?.now } };
}

function actOnSome(
  db: Kysely<Tables>,
  actor: string,
  selection: AsideSelection,
  kind: Kind,
  lane: "known" | "replay",
): Promise<AsideItem[]> {
  return db.transaction().execute(async (trx) => {
    const limit = "ids" in selection ? selection.ids.length * 2 : AT_ONCE;
    const listed = await listAside({ db: trx, list: kind.list, selection, limit });
    const items = listed.items.filter((item) => !kind.leavesDismissed || item.dismissedAt === null);
    if (items.length === 0) return items;
    await kind.change(trx, items, lane);
    await closeAlarms(trx, kind.alarms, items.map(subjectOf));
    await audit(
      trx,
      items.map((item) => ({
        actor,
        action: kind.action,
        subject: subjectOf(item),
        invoiceId: item.invoiceId,
        detail: { kind: item.kind, source: item.source, attempts: item.attempts, error: item.error },
      })),
    );
    return items;
  });
}

const subjectOf = (item: AsideItem): string => item.eventId ?? item.invoiceId;

async function reviveEvents(trx: Transaction<Tables>, items: readonly AsideItem[]): Promise<void> {
  await sql`
    update event set state = 'due', attempt = 0, due_at = clock_timestamp(), dismissed_at = null
    where state = 'dead' and id = any(${items.flatMap((item) => item.eventId ?? [])}::uuid[])`.execute(trx);
}

async function dismiss(trx: Transaction<Tables>, items: readonly AsideItem[]): Promise<void> {
  const questions = items.filter((item) => item.kind === "question");
  await sql`
    update confirmation set dismissed_at = clock_timestamp()
    from unnest(${questions.map((item) => item.invoiceId)}::uuid[], ${questions.map((item) => item.source)}::text[]) as given (invoice_id, source)
    where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`.execute(trx);
  await sql`
    update event set dismissed_at = clock_timestamp()
    where state = 'dead' and id = any(${items.flatMap((item) => item.eventId ?? [])}::uuid[])`.execute(trx);
}
