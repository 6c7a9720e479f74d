import { type Evidence, type Findings, troubleWithin } from "./evidence.ts";
import type { Books } from "./read-books.ts";

/** The alarms that are open as long as a state lasts. */
const OF_STATES = new Set([
  "source_paused",
  "topic_paused",
  "confirmation_dead",
  "event_dead",
  "invoice_quarantined",
]);

/** How long after the commit of an alarm its log line may be missing because of a kill, in ms. */
const SLACK_MS = 3_000;

/**
 * G13: every state that needs a person has its alarm open, no such alarm is open without its state, and none
 * is open twice; an invoice paid after it was invalid raised an alarm; and the alarms in the logs and in the
 * table are the same.
 */
export function* checkAlarms(evidence: Evidence, books: Books): Findings {
  const aboutOf = (alarm: { name: string; subject: string }) => `${alarm.name} ${alarm.subject}`;
  const open = new Set<string>();
  for (const alarm of books.alarms) {
    if (alarm.cleared_at !== null || !OF_STATES.has(alarm.name)) continue;
    const key = `${aboutOf(alarm)} ${alarm.source}`;
    if (open.has(key)) yield ["open twice", key];
    open.add(key);
  }
  const openSubjects = new Set(
    books.alarms.filter(({ cleared_at, name }) => cleared_at === null && OF_STATES.has(name)).map(aboutOf),
  );
  const states = new Set(statesThatAreTold(books));
  for (const state of states) if (!openSubjects.has(state)) yield ["no alarm is open", state];
  for (const alarm of openSubjects)
    if (!states.has(alarm)) yield ["still open, although it has ended", alarm];

  const rows = Map.groupBy(books.alarms, aboutOf);
  for (const subject of revivedIn(books))
    if (!rows.has(`invoice_anomaly ${subject}`)) yield ["invalid, then paid, without an alarm", subject];
  const told = Map.groupBy(evidence.alarms, aboutOf);
  for (const line of evidence.alarms)
    if (line.raised && !rows.has(aboutOf(line)) && !endedWithItsProcess(evidence, line))
      yield ["in the log, but not in the table", aboutOf(line)];
  for (const alarm of books.alarms) {
    const said = (told.get(aboutOf(alarm)) ?? []).some(({ raised }) => raised);
    const isExcused = troubleWithin(evidence, alarm.raised_at, alarm.raised_at, SLACK_MS) !== undefined;
    if (!said && !isExcused) yield ["in the table, but not in any log", aboutOf(alarm)];
  }
}

/** Their rows are written when they are over. */
const STORED_LATER = ["database_away", "recording_failing"];

/**
 * Only the rows of `STORED_LATER` are written after its log line, once Postgres takes them: a process that
 * ended before it said so could not write it.
 */
function endedWithItsProcess({ alarms, processes }: Evidence, raised: Evidence["alarms"][number]): boolean {
  const { name, process, at } = raised;
  if (!STORED_LATER.includes(name)) return false;
  const end = processes.find((one) => one.name === process && one.state === "ended" && one.at >= at);
  if (end === undefined) return false;
  return !alarms.some(
    (one) => one.name === name && one.process === process && !one.raised && one.at >= at && one.at <= end.at,
  );
}

/** What needs a person: a source or topic that nobody paused by hand, a dead letter, a quarantined invoice. */
function statesThatAreTold({ sources, topics, confirmations, outbox }: Books): string[] {
  const isPaused = ({ paused_by }: { paused_by: string | null }) =>
    paused_by !== null && paused_by !== "operator";
  const dead = confirmations.filter(({ state }) => state === "dead");
  const held = confirmations.filter(({ state, verdict }) => state === "done" && verdict === "quarantined");
  return [
    ...sources.filter(isPaused).map(({ name }) => `source_paused ${name}`),
    ...topics.filter(isPaused).map(({ arn }) => `topic_paused ${arn}`),
    ...dead.map(({ invoice_id }) => `confirmation_dead ${invoice_id}`),
    ...held.map(({ invoice_id }) => `invoice_quarantined ${invoice_id}`),
    ...outbox.filter(({ state }) => state === "dead").map(({ event_id }) => `event_dead ${event_id}`),
  ];
}

/** Invoices that the relay knew to be invalid before it knew that they are paid. */
function revivedIn({ answers }: Books): string[] {
  const paid = new Map(
    answers
      .filter(({ newest, document }) => newest && document.status === "Paid")
      .map((row) => [keyOf(row), row]),
  );
  return answers
    .filter(
      (row) => row.document.status === "Invalidated" && (paid.get(keyOf(row))?.asked_at ?? 0) > row.asked_at,
    )
    .map(({ invoice_id }) => invoice_id);
}

const keyOf = ({ source, invoice_id }: Books["answers"][number]) => `${source} ${invoice_id}`;

/** Messages are sent every five seconds, so changes this close to the end, in ms, may still be pending. */
const TOLD_WITHIN_MS = 15_000;

/** G13: a message was sent for the start and for the end of each alarm; duplicates do no harm. */
export function* checkTold({ told }: Evidence, books: Books): Findings {
  const isSame = (time: string | null, at: number | null) =>
    time === null ? at === null : Math.abs(Date.parse(time) - (at ?? 0)) <= 1;
  for (const { name, source, subject, raised_at, cleared_at } of books.alarms) {
    const about = told.filter(
      (line) =>
        line.name === name &&
        line.source === source &&
        line.subject === subject &&
        isSame(line.raisedAt, raised_at),
    );
    const isNews = (at: number | null) => (at ?? 0) > books.read_at - TOLD_WITHIN_MS;
    if (about.length === 0 && !isNews(raised_at)) yield ["no message was sent for it", `${name} ${subject}`];
    else if (!isNews(cleared_at) && !about.some(({ clearedAt }) => isSame(clearedAt, cleared_at)))
      yield ["no message was sent for its end", `${name} ${subject}`];
  }
}
