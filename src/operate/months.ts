import { audit, type ByHand } from "../alarms/audit.ts";
import type { BookSource } from "../books/book-source.ts";
import { keptPayment, SumsByCollection, tallyWith } from "../books/month/figures.ts";
import { readChanges } from "../books/month/month-changes.ts";
import {
  type ClosedMonth,
  type Closing,
  insertMonth,
  lockMonths,
  readClosings,
} from "../books/month/month-rows.ts";
import { readPayments } from "../books/report/read-payments.ts";
import { readSettleable } from "../books/statement/settleable-sums.ts";
import { plainStatuses } from "../confirm/invoices/status-class.ts";
import { databaseTime } from "../database/server.ts";
import type { Database } from "../database/tables.ts";
import { bookDayOf, bookMonth, bookMonthOf } from "../kit/book-days.ts";
import { newId } from "../kit/ids.ts";
import { addDays } from "../kit/time.ts";
import type { Tally } from "../reconcile/certificate/certificate.ts";
import type { Signer } from "../signing/signed.ts";
import { issue } from "../signing/signing-keys.ts";
import { listFirstServed } from "../upstreams/source-row.ts";
import type { ClosingResult, KnownMonth, Obstacle, ShownClosing } from "./month.ts";
import { judgeMonth, notOver } from "./month-obstacles.ts";

interface MonthClosing extends ByHand {
  source: BookSource;
  month: string;
  /** Why it is closed without a bank statement. */
  waiveStatement?: string | undefined;
  /** Why it is closed although payments differ, of which none is missing. */
  acceptDifferences?: string | undefined;
  dryRun: boolean;
  signer: Signer | null;
}

/** Closes a month of one source, or names everything that is in the way. Nobody who writes payments waits for it. */
export const closeMonth = ({
  db,
  actor,
  source,
  month,
  waiveStatement,
  acceptDifferences,
  dryRun,
  signer,
}: MonthClosing) =>
  db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx): Promise<ClosingResult> => {
      await lockMonths(trx);
      const asked = { source: source.name, month, currency: source.currency };
      const period = bookMonth(month, source.zone);
      const now = await databaseTime(trx);
      const [before] = await readClosings(trx, { sources: [source.name], month });
      const early =
        before?.reopenedAt === null ? alreadyClosed(before) : notOver({ source, month, period }, now);
      if (early !== null) return { ...asked, obstacles: [early], all: null, closing: null };

      const sums = new SumsByCollection();
      const paidOn = new Map<string, Tally>();
      const summed = async function* () {
        for await (const payment of readPayments(trx, { source, ...period, forSums: true })) {
          const kept = keptPayment(payment);
          sums.add(kept);
          const day = bookDayOf(payment.countedAt, source.zone);
          paidOn.set(day, tallyWith(paidOn.get(day), kept));
          yield payment;
        }
      };
      const settleable = await readSettleable(summed());
      const isWaived = waiveStatement !== undefined;
      const accepts = acceptDifferences !== undefined;
      const judged = await judgeMonth(trx, {
        ...{ source, month, period, paidOn, settleable, isWaived, accepts },
        collections: sums.collections.map(({ collection }) => collection),
      });
      const { obstacles, certificateIds, matchIds, accepted: differences } = judged;
      const { all, collections } = sums;
      if (obstacles.length > 0 || dryRun) return { ...asked, obstacles, all, closing: null };

      const closing = await issue(trx, signer, "month", {
        ...{ id: newId(), ...asked, timeZone: source.zone },
        ...{ from: period.from.toISOString(), to: period.to.toISOString() },
        ...{ closedAt: now.toISOString(), closedBy: actor, collections, all, certificateIds },
        settings: { collectionIds: [...source.collectionIds], paidStatuses: [...source.paidStatuses] },
        statement:
          waiveStatement === undefined
            ? { matchIds, waived: null }
            : { matchIds: null, waived: waiveStatement },
        accepted: differences.length > 0 && accepts ? { reason: acceptDifferences, differences } : null,
      } satisfies Closing);
      await insertMonth(trx, closing, source);
      const why = [waiveStatement, closing.accepted?.reason].filter((one) => one !== undefined);
      const reason = why.length > 0 ? why.join("; ") : undefined;
      await audit(trx, [
        {
          ...{ actor, action: "month.close", subject: month, invoiceId: null, reason },
          detail: {
            source: source.name,
            id: closing.id,
            currency: source.currency,
            ...all,
            ...closing.statement,
            accepted: differences.length,
          },
        },
      ]);
      return { ...asked, obstacles: [], all, closing };
    });

const alreadyClosed = ({ closing: { month, source, closedAt, closedBy } }: ClosedMonth): Obstacle => ({
  code: "already_closed",
  detail: `${month} was closed ${closedAt} by ${closedBy}.`,
  cure: `invoice-relay month reopen ${month} --source ${source} --reason "…"`,
});

/** The months that are over since each source was first served, and those closed before; the newest first. */
export async function listMonths(
  db: Database,
  sources: readonly BookSource[],
  now: Date,
): Promise<KnownMonth[]> {
  const served = await listFirstServed(db);
  const closings = await readClosings(db, { sources: sources.map(({ name }) => name) });
  const found: KnownMonth[] = [];
  for (const { name, zone, currency } of sources) {
    const own = closings.filter(({ closing }) => closing.source === name);
    const closed = own.filter(({ reopenedAt }) => reopenedAt === null);
    const servedAt = served.find(({ source }) => source === name)?.at ?? null;
    const months = new Set([
      ...closed.map(({ closing }) => closing.month),
      ...(servedAt === null ? [] : monthsOver(bookMonthOf(servedAt, zone), bookMonthOf(now, zone))),
    ]);
    for (const month of months) {
      const closing = closed.find((one) => one.closing.month === month)?.closing;
      const changes = closing === undefined ? [] : await readChanges(db, closing.id);
      const changed = new Set(changes.map(({ invoiceId }) => invoiceId)).size;
      found.push({
        ...{ source: name, month, currency: closing?.currency ?? currency, changed },
        state: closing === undefined ? "open" : changed > 0 ? "changed" : "closed",
        closings: own.filter((one) => one.closing.month === month).length,
        closedAt: closing?.closedAt ?? null,
        closedBy: closing?.closedBy ?? null,
        all: closing?.all ?? null,
      });
    }
  }
  return found.sort(
    (one, other) => other.month.localeCompare(one.month) || one.source.localeCompare(other.source),
  );
}

/** From the first, before the running one. @param first, running YYYY-MM */
function monthsOver(first: string, running: string): string[] {
  const months: string[] = [];
  for (let month = first; month < running; month = addDays(`${month}-01`, 31).slice(0, 7)) months.push(month);
  return months;
}

/** The settings that are others now than those that a month was closed with. Pure. */
export function settingsChangedSince({ timeZone, currency, settings }: Closing, now: BookSource) {
  const pairs: Record<string, [closed: readonly string[], now: readonly string[]]> = {
    BOOKS_TIME_ZONE: [[timeZone], [now.zone]],
    CURRENCY: [[currency], [now.currency]],
    COLLECTION_IDS: [settings.collectionIds, now.collectionIds],
    PAID_STATUSES: [settings.paidStatuses, now.paidStatuses],
  };
  const plain = (items: readonly string[]) => plainStatuses(items).sort().join(",");
  return Object.entries(pairs).flatMap(([setting, [closed, now]]) =>
    plain(closed) === plain(now) ? [] : [{ setting, closed: closed.join(","), now: now.join(",") }],
  );
}

const SHOWN = 1_000;

/** Every closing of a month, the newest first. */
export async function showMonth(
  db: Database,
  sources: readonly BookSource[],
  month: string,
): Promise<ShownClosing[]> {
  const closings = await readClosings(db, { sources: sources.map(({ name }) => name), month });
  const shown: ShownClosing[] = [];
  for (const closed of closings) {
    const changes = await readChanges(db, closed.closing.id);
    const sums = new SumsByCollection(closed.closing.collections);
    for (const { before, after } of changes) {
      sums.add(before, -1);
      sums.add(after);
    }
    const changed = new Set(changes.map(({ invoiceId }) => invoiceId)).size;
    const source = sources.find(({ name }) => name === closed.closing.source);
    shown.push({
      ...closed,
      settingsChanged: source === undefined ? [] : settingsChangedSince(closed.closing, source),
      changes: changes.slice(-SHOWN),
      changed,
      now: sums.all,
    });
  }
  return shown;
}
