import type { BookSource } from "../books/book-source.ts";
import type { AcceptedDifference } from "../books/month/month-rows.ts";
import { readChangedSince } from "../books/report/read-payments.ts";
import { isOutdated, type Settleable } from "../books/statement/settleable-sums.ts";
import { newestMatchesOf, type StatementMatch } from "../books/statement/statement-match-row.ts";
import type { Database } from "../database/tables.ts";
import { type BookPeriod, bookDay, bookDayOf, bookDaysOf, lastBookDay } from "../kit/book-days.ts";
import { addDays, clock } from "../kit/time.ts";
import { readSentAmounts } from "../publish/read-events.ts";
import { SETTLING_MS, type Tally } from "../reconcile/certificate/certificate.ts";
import { type CalendarDay, readCalendar } from "../reconcile/last-runs.ts";
import { type CertificatePage, readCertificatePage } from "../reconcile/read-certificates.ts";
import { readWantingDays } from "../reconcile/unproven-days.ts";
import { listUndelivered, type UndeliveredList } from "./list-undelivered.ts";
import type { Obstacle } from "./month.ts";

export interface MonthToClose {
  source: BookSource;
  month: string;
  period: BookPeriod;
  /** The payments in the books, by their days. */
  paidOn: ReadonlyMap<string, Tally>;
  /** What is to be settled of them, and the collections that they are of. */
  settleable: Settleable;
  collections: readonly (string | null)[];
  /** The bank statement need not be matched. */
  isWaived: boolean;
  /** What differs is taken as it is, where nothing is missing. */
  accepts: boolean;
}

/** Nothing else can be said of a month whose last payments may not be known yet. */
export function notOver(
  { source, month, period: { to } }: Pick<MonthToClose, "source" | "month" | "period">,
  now: Date,
) {
  const closable = new Date(to.getTime() + SETTLING_MS);
  if (now >= closable) return null;
  const detail =
    `${month} ends ${clock(to)} (midnight in ${source.zone}), and the provider's lists may lack its last payments ` +
    `for an hour: it can be closed from ${clock(closable)} on.`;
  return { code: "month_not_over", detail, cure: null } satisfies Obstacle;
}

export interface Judged {
  obstacles: Obstacle[];
  /** The newest certificates of its days, and those of `accepted`. */
  certificateIds: string[];
  /** What differs and was accepted. */
  accepted: AcceptedDifference[];
  /** The matches of its bank statement. */
  matchIds: string[];
}

/** Whatever is in the way of closing a month, all at once. */
export async function judgeMonth(db: Database, asked: MonthToClose): Promise<Judged> {
  const { source, period } = asked;
  const { name, zone } = source;
  const [from, to] = [bookDayOf(period.from, zone), lastBookDay(period, zone)];
  const calendar = await readCalendar(db, { from, to, sources: [source] });
  const wanting = await readWantingDays(db, source, period);
  const last = calendar.find(({ day }) => day === to);
  const newest = last && (await readCertificatePage(db, last.certificateId, { limit: 1, after: 0 }));
  const isProvisional = newest?.certificate.basis.provisional === true;
  const covered = { from, to, collections: asked.collections };
  const matches = asked.isWaived ? [] : await newestMatchesOf(db, source, covered);
  const outdated: StatementMatch[] = [];
  for (const one of matches)
    if (one.clean && (await isOutdated(db, one, asked.settleable, { from, to }))) outdated.push(one);
  const unequal: Unequal[] = [];
  for (const found of unequalDays(calendar, wanting))
    unequal.push({ ...found, acceptable: await readAcceptable(db, name, found) });
  const proven = calendar.map(({ day, certificateId }) => ({ certificateId, ...bookDay(day, zone) }));
  const changed = await readChangedSince(db, source, proven);
  const accepted = asked.accepts ? distinct(unequal.flatMap(({ acceptable }) => acceptable ?? [])) : [];
  return {
    obstacles: [
      ...certificateObstacles(asked, { calendar, unequal, isProvisional, changed }),
      ...(await undelivered(db, asked, "dead")),
      ...(await undelivered(db, asked, "quarantine")),
      ...(asked.isWaived ? [] : statementObstacles(asked, matches, outdated)),
    ],
    certificateIds: [...new Set([...calendar, ...accepted].map(({ certificateId }) => certificateId))],
    accepted,
    matchIds: matches.map(({ id }) => id),
  };
}

/** Once each: a collection's certificate names what the source's does. */
const distinct = (accepted: readonly AcceptedDifference[]): AcceptedDifference[] => {
  const nameOf = ({ day, invoiceId, reason, detail }: AcceptedDifference) =>
    JSON.stringify([day, invoiceId, reason, detail]);
  return [...new Map(accepted.toReversed().map((one) => [nameOf(one), one])).values()].reverse();
};

interface Unequal {
  certificateId: string;
  days: string[];
  /** null where it may not be accepted. */
  acceptable: AcceptedDifference[] | null;
}

/** The days of the month that certificates find wanting, the newest of each day and those that none supersedes. Pure. */
function unequalDays(
  calendar: readonly CalendarDay[],
  wanting: Awaited<ReturnType<typeof readWantingDays>>,
): Omit<Unequal, "acceptable">[] {
  const unequal = new Map<string, Set<string>>();
  const find = (id: string, day: string) => unequal.set(id, (unequal.get(id) ?? new Set()).add(day));
  for (const { day, certificateId, result } of calendar) if (result !== "equal") find(certificateId, day);
  for (const { certificateId, days } of wanting) for (const day of days) find(certificateId, day);
  return [...unequal].map(([certificateId, days]) => ({ certificateId, days: [...days] }));
}

/** As many as a certificate names. */
const NAMED_IN_ALL = 10_000;

/**
 * What may be accepted of days whose certificates are not equal.
 * @returns null for a certificate that was refused, and one that misses a payment or does not name all that differs.
 */
async function readAcceptable(
  db: Database,
  source: string,
  { certificateId, days }: Omit<Unequal, "acceptable">,
): Promise<AcceptedDifference[] | null> {
  const page = await readCertificatePage(db, certificateId, { limit: NAMED_IN_ALL, after: 0 });
  const found = page && acceptableOf(page, days);
  if (!found) return null;
  const ids = found.flatMap(({ invoiceId }) => invoiceId ?? []);
  const amounts = await readSentAmounts(db, source, ids);
  return found.map(({ day, invoiceId, reason, detail, amount }) => ({
    ...{ certificateId, day, invoiceId, reason, detail, atProvider: amount },
    inEvent: (invoiceId && amounts.get(invoiceId)) ?? null,
  }));
}

/** Nothing is missing on these days, and each of them has a difference that is named. Pure. */
function acceptableOf({ certificate, differences }: CertificatePage, days: readonly string[]) {
  if (certificate.result === "refused" || certificate.differencesInAll > differences.length) return null;
  const found = differences.filter(({ day, weight }) => weight !== "note" && days.includes(day));
  const isNamed = days.every((day) => found.some((one) => one.day === day));
  const isMissing =
    found.some(({ weight }) => weight === "gap") ||
    certificate.days.some(({ day, missing }) => days.includes(day) && missing.count > 0);
  return isNamed && !isMissing ? found : null;
}

interface Proof {
  calendar: readonly CalendarDay[];
  unequal: readonly Unequal[];
  isProvisional: boolean;
  /** Payments that came or changed since the certificate of their day. */
  changed: readonly { invoiceId: string; countedAt: Date }[];
}

/** Of certificates. Pure. */
export function certificateObstacles(
  { source, month, period, paidOn, accepts }: MonthToClose,
  { calendar, unequal, isProvisional, changed }: Proof,
): Obstacle[] {
  const days = bookDaysOf(period, source.zone);
  const [first = "", last = ""] = [days[0], days.at(-1)];
  const certify = `invoice-relay certify --from ${first} --to ${last}`;
  const certified = new Map(calendar.map((day) => [day.day, day]));
  const holes = days.filter((day) => !certified.has(day));
  const open = unequal.filter(({ acceptable }) => !accepts || acceptable === null);
  const openDays = new Set(open.flatMap(({ days }) => days));
  // Sums tell of what is a payment no longer, names of changes that cancel each other.
  const named = changed.map((one) => ({ ...one, day: bookDayOf(one.countedAt, source.zone) }));
  const otherSums = calendar.filter(({ day, stored }) => {
    const { count, amount } = paidOn.get(day) ?? { count: 0, amount: "0.00" };
    return count !== stored.count || amount !== stored.amount;
  });
  const isOpen = ({ day }: { day: string }) => !openDays.has(day);
  const changedDays = new Set([...otherSums, ...named].filter(isOpen).map(({ day }) => day));
  const obstacles: Obstacle[] = [];
  if (holes.length > 0)
    obstacles.push({
      code: "no_certificate",
      detail: `No certificate of the whole source covers ${dayRanges(holes)}.`,
      cure:
        source.collectionIds.length > 0
          ? certify
          : "Name its collections in COLLECTION_IDS: their lists are what a month is proven with.",
    });
  for (const { certificateId, days: ofIt, acceptable } of open)
    obstacles.push({
      code: "not_equal",
      detail:
        `The newest certificate of ${dayRanges(ofIt)} is not equal, or was refused` +
        `${acceptable === null ? "" : "; no payment is missing"}.`,
      cure:
        `invoice-relay certificate show ${certificateId}; what is missing, invoice-relay reconcile asks for; then ${certify}` +
        `${acceptable === null ? "" : `, or, where it can never be equal, invoice-relay month close ${month} --source ${source.name} --accept-differences "<reason>"`}`,
    });
  if (isProvisional)
    obstacles.push({
      code: "provisional",
      detail: `The certificate of ${last} is provisional: its last payments may not have been in the lists yet.`,
      cure: certify,
    });
  if (changedDays.size > 0)
    obstacles.push({
      code: "changed_since_certificate",
      detail: `Since their certificate, payments of ${dayRanges([...changedDays])} came or changed${idsOf(named.filter(isOpen))}.`,
      cure: certify,
    });
  return obstacles;
}

const WAITING = {
  dead: { code: "dead_letters", words: ["dead letter", "dead letters"], cure: "retry <id>, or dismiss <id>" },
  quarantine: {
    code: "quarantine",
    words: ["invoice in quarantine", "invoices in quarantine"],
    cure: 'dismiss <id> --reason "…" if it is somebody else\'s; release <id> publishes it',
  },
} as const satisfies Record<UndeliveredList, object>;

const NAMED = 5;

/** `: <id>, <id>, …`, each once; nothing for none. */
function idsOf(items: readonly { invoiceId: string }[], total = items.length): string {
  const ids = [...new Set(items.slice(0, NAMED).map(({ invoiceId }) => invoiceId))];
  return ids.length === 0 ? "" : `: ${ids.join(", ")}${total > NAMED ? ", …" : ""}`;
}

/** Whatever could still become a payment of the month: also what nobody knows the day of. */
async function undelivered(
  db: Database,
  { source, period }: MonthToClose,
  list: UndeliveredList,
): Promise<Obstacle[]> {
  const filters = { source: source.name, paidIn: period };
  const { total, items } = await listUndelivered({ db, list, selection: { filters }, limit: NAMED });
  if (total === 0) return [];
  const { code, words, cure } = WAITING[list];
  const what = `${total.toLocaleString("en-US")} ${words[total === 1 ? 0 : 1]}`;
  const detail = `${what} may be ${total === 1 ? "a payment" : "payments"} of the month${idsOf(items, total)}.`;
  return [{ code, detail, cure: `invoice-relay ${list} show <id>; then ${list} ${cure}` }];
}

function statementObstacles(
  { source, month }: MonthToClose,
  matches: readonly StatementMatch[],
  outdated: readonly StatementMatch[],
): Obstacle[] {
  const waive = `or invoice-relay month close ${month} --source ${source.name} --waive-statement "<reason>"`;
  if (matches.length === 0)
    return [
      {
        code: "no_statement",
        detail: `No bank statement in ${source.currency} that covers the whole month was matched after its end.`,
        cure: `invoice-relay match FILE --source ${source.name}, ${waive}`,
      },
    ];
  const open = matches.filter(({ clean }) => !clean);
  return [
    ...open.map(({ id, fileName }) => ({
      code: "statement_not_matched" as const,
      detail: `The bank statement ${fileName} leaves something to be explained.`,
      cure: `invoice-relay match show ${id}; match a corrected one, ${waive}`,
    })),
    ...outdated.map(({ fileName, madeAt }) => ({
      code: "statement_not_matched" as const,
      detail: `Payments came or changed since the bank statement ${fileName} was matched (${clock(madeAt)}).`,
      cure: `invoice-relay match FILE --source ${source.name} with the same file again, ${waive}`,
    })),
  ];
}

/** `2026-10-01, 2026-10-05 to 2026-10-07`, of days in any order. */
export function dayRanges(days: readonly string[]): string {
  const ranges: [first: string, last: string][] = [];
  for (const day of [...days].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && addDays(range[1], 1) === day) range[1] = day;
    else ranges.push([day, day]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first} to ${last}`)).join(", ");
}
