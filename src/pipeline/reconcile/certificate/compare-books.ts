import type { Database } from "../../../platform/database/index.ts";
import { type BookPeriod, bookDayOf, DAY_MS, startOf } from "../../../platform/values/index.ts";
import { statusSets } from "../../confirm/index.ts";
import { orphanedAcceptances } from "../../publish/index.ts";
import { eachDay, type ListPeriod } from "../list/list-dates.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type CertifiedLists, countCertified } from "./asked-payment.ts";
import { type Basis, beganAfter, type Certificate, isProvisional, type Reading } from "./certificate.ts";
import { decidePayment, type Terms } from "./decide-payment.ts";
import { type PaymentFacts, readFacts } from "./payment-facts.ts";
import { Summary } from "./summary.ts";

interface Comparison {
  id: string;
  source: ReconcileSource;
  window: BookPeriod;
  period: ListPeriod;
  reading: Reading;
  lists: CertifiedLists;
  now: Date;
  servedAt: Date | null;
}

const NAMED = 5;

const ORPHAN_LIMIT = 1_000;

/**
 * Compares the lists with the books, payment by payment in batches, and sums up the result.
 */
export async function compareBooks(db: Database, comparison: Comparison): Promise<Certificate> {
  const { id, source, window, period, reading, lists, now, servedAt } = comparison;
  const { collections } = reading;
  const { booksTimeZone: zone, currency } = source;
  const names = new Set(collections.flatMap(({ name }) => (name === null ? [] : [name])));
  const terms: Terms = {
    window,
    ...statusSets(source),
    firstServedAt: servedAt,
    now,
    zone,
    ownCollections: names,
    namesAreKnown: collections.every(({ name }) => name !== null),
  };
  const summary = new Summary();
  const hidden: string[] = [];
  for await (const batch of readFacts(db, source, lists)) {
    for (const facts of batch) {
      const decided = decidePayment(facts, terms);
      if (decided !== null) summary.add(decided);
      if (decided?.isLive && decided.paid !== null && isHidden(facts, names, period))
        hidden.push(facts.invoiceId);
    }
  }
  await addOrphans(db, summary, comparison);
  const refusals = [...refusalsOf(comparison), ...(hidden.length > 0 ? [hiddenText(hidden)] : [])];
  return {
    id,
    source: source.name,
    result: refusals.length > 0 ? "refused" : summary.isEqual ? "equal" : "not_equal",
    refusals,
    collections,
    currency,
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    madeAt: now.toISOString(),
    basis: await basisOf(db, comparison),
    ...summary.contents,
  };
}

/** Get Invoice says that it is paid, but the list that should show it does not. */
function isHidden(facts: PaymentFacts, names: ReadonlySet<string>, { first }: ListPeriod): boolean {
  const { listed, asked, askedCollection, askedCreatedAt } = facts;
  if (listed || asked !== "paid" || askedCollection === null || !names.has(askedCollection)) return false;
  return askedCreatedAt === null || askedCreatedAt >= startOf(first);
}

const hiddenText = (ids: readonly string[]) =>
  `The list is incomplete: it leaves out ${ids.length} that Get Invoice says are paid: ` +
  `${ids.slice(0, NAMED).join(", ")}${ids.length > NAMED ? ", …" : ""}.`;

function refusalsOf({ window, reading, now, servedAt, source }: Comparison): string[] {
  const refusals = [...reading.doubts];
  if (window.to > now)
    refusals.push(
      `The period is not over: it ends ${window.to.toISOString()}, and payments may still come in.`,
    );
  else if (!beganAfter(reading, window))
    refusals.push(
      `The period was not over when its lists began to be read, ${reading.begunAt}: it ended ` +
        `${window.to.toISOString()}, and payments may have come in meanwhile. Run the same command again.`,
    );
  if (servedAt === null)
    refusals.push(`The source "${source.name}" has never been served with this database.`);
  return refusals;
}

async function basisOf(
  db: Database,
  { source, window, period, reading, servedAt, lists }: Comparison,
): Promise<Basis> {
  return {
    listFirst: period.first,
    listLast: period.last,
    lookbackDays: source.lookbackMs / DAY_MS,
    zone: source.booksTimeZone,
    providerTimeZone: source.timeZone,
    paidStatuses: source.paidStatuses,
    invalidStatuses: source.invalidStatuses,
    topics: { live: source.liveTopicArn, test: source.testTopicArn },
    begunAt: reading.begunAt,
    provisional: isProvisional(reading, window),
    pages: reading.pages,
    firstServedAt: servedAt?.toISOString() ?? null,
    ...(await countCertified(db, lists)),
  };
}

/** Acceptances whose event is gone: all are counted, the first of each day named. */
async function addOrphans(db: Database, summary: Summary, { source, window }: Comparison): Promise<void> {
  for (const part of eachDay(window, source.booksTimeZone)) {
    const { orphans, inAll } = await orphanedAcceptances(db, source.name, part, ORPHAN_LIMIT);
    const day = bookDayOf(part.from, source.booksTimeZone);
    for (const { eventId, topicArn, messageId } of orphans)
      summary.addDifference({
        invoiceId: null,
        eventId,
        reason: "acceptance_without_event",
        weight: "difference",
        detail: `SNS accepted it on ${topicArn} as ${messageId}, but the event is not in the log`,
        day,
        amount: null,
      });
    summary.addUnnamed(day, inAll - orphans.length);
  }
}
