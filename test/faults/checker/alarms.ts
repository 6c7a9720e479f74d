import { type Evidence, troubleWithin } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
import type { Books } from "./read-books.ts";

/** Which open alarm tells of which state. */
const TELLS_OF = {
  sourcePaused: "source_paused",
  topicPaused: "topic_paused",
  confirmationDead: "confirmation_dead",
  outboxDead: "event_dead",
  quarantined: "invoice_quarantined",
} as const;

/** Between the commit of an alarm and the line that tells of it a process may be killed: in ms. */
const SLACK_MS = 3_000;

/**
 * G13: every state that needs a person has its alarm open, no such alarm is open without its state, none is
 * open twice; what was invalid and is paid was told; and what a process said it raised stands in the table,
 * as what stands there was said.
 */
export function checkAlarms(evidence: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G13", what, about });
  const aboutOf = (alarm: { name: string; subject: string }) => `${alarm.name} ${alarm.subject}`;
  const isNamed = new Set<string>(Object.values(TELLS_OF));
  const open = new Set<string>();
  for (const alarm of books.alarms) {
    if (alarm.cleared_at !== null || !isNamed.has(alarm.name)) continue;
    const key = `${aboutOf(alarm)} ${alarm.source}`;
    if (open.has(key)) find("open twice", key);
    open.add(key);
  }
  const openSubjects = new Set(
    books.alarms.filter(({ cleared_at, name }) => cleared_at === null && isNamed.has(name)).map(aboutOf),
  );
  const states = new Set(statesThatAreTold(books));
  for (const state of states) if (!openSubjects.has(state)) find("nobody was told", state);
  for (const alarm of openSubjects) if (!states.has(alarm)) find("still open, though it is over", alarm);

  const rows = groupBy(books.alarms, aboutOf);
  for (const subject of revivedIn(books))
    if (!rows.has(`invoice_anomaly ${subject}`)) find("invalid, then paid, and nobody was told", subject);
  const told = groupBy(evidence.alarms, aboutOf);
  for (const line of evidence.alarms)
    if (line.raised && !rows.has(aboutOf(line))) find("said in the log, and not in the table", aboutOf(line));
  for (const alarm of books.alarms) {
    const said = (told.get(aboutOf(alarm)) ?? []).some(({ raised }) => raised);
    const isExcused = troubleWithin(evidence, alarm.raised_at, alarm.raised_at, SLACK_MS) !== undefined;
    if (!said && !isExcused) find("in the table, and said by nobody", aboutOf(alarm));
  }
  return findings;
}

function statesThatAreTold({ sources, topics, confirmations, outbox }: Books): string[] {
  const byOperator = (pausedBy: string | null) => pausedBy === null || pausedBy === "operator";
  return [
    ...sources
      .filter(({ paused_by }) => !byOperator(paused_by))
      .map(({ name }) => `${TELLS_OF.sourcePaused} ${name}`),
    ...topics
      .filter(({ paused_by }) => !byOperator(paused_by))
      .map(({ arn }) => `${TELLS_OF.topicPaused} ${arn}`),
    ...confirmations
      .filter(({ state }) => state === "dead")
      .map(({ invoice_id }) => `${TELLS_OF.confirmationDead} ${invoice_id}`),
    ...confirmations
      .filter(({ state, verdict }) => state === "done" && verdict === "quarantined")
      .map(({ invoice_id }) => `${TELLS_OF.quarantined} ${invoice_id}`),
    ...outbox
      .filter(({ state }) => state === "dead")
      .map(({ event_id }) => `${TELLS_OF.outboxDead} ${event_id}`),
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
