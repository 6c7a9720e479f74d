import { type Evidence, troubleWithin } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
import type { Books } from "./read-books.ts";

/** A request affected by a fault may have started this long before it, in ms. */
const SLACK_MS = 3_000;

/**
 * G5: what is marked as published was accepted, with that MessageId and exactly that payload; what was
 * accepted is marked, unless a fault kept the relay from knowing; and nothing is sent twice without such a
 * reason.
 */
export function checkPublished(evidence: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G5", what, about });
  const accepted = new Map(evidence.accepted.map((line) => [`${line.topicArn} ${line.messageId}`, line]));
  const marks = groupBy(books.publications, (row) => `${row.source} ${row.event_id}`);
  const waiting = groupBy(books.outbox, (row) => `${row.source} ${row.event_id}`);
  const events = new Map(books.events.map((event) => [`${event.source} ${event.id}`, event]));

  for (const row of books.publications) {
    const line = accepted.get(`${row.topic_arn} ${row.message_id}`);
    const event = events.get(`${row.source} ${row.event_id}`);
    if (line === undefined) find("marked as published, but SNS never accepted it", row.event_id);
    else if (event === undefined) find("marked as published, but the event does not exist", row.event_id);
    else if (line.message !== event.payload && !event.erased)
      find("published with another payload than is stored", row.event_id);
  }
  for (const [key, event] of events) {
    const isOpen = waiting.get(key) ?? [];
    if (isOpen.some(({ state }) => state === "due" || state === "claimed"))
      find("still to be sent at the end", event.id);
    if (isOpen.length === 0 && !marks.has(key)) find("neither published nor to be sent", event.id);
  }

  const marked = new Set(books.publications.map((row) => `${row.topic_arn} ${row.message_id}`));
  for (const line of evidence.accepted) {
    if (marked.has(`${line.topicArn} ${line.messageId}`)) continue;
    if (troubleWithin(evidence, line.at, line.at, SLACK_MS) === undefined)
      find("accepted by SNS but not marked, without a fault at the time", String(line.event.id));
  }
  const copies = groupBy(
    evidence.accepted.filter((line) => line.replay === null),
    (line) => `${line.topicArn} ${line.event.id}`,
  );
  for (const lines of copies.values())
    for (const [index, line] of lines.entries()) {
      const before = lines[index - 1];
      if (before !== undefined && troubleWithin(evidence, before.at, line.at, SLACK_MS) === undefined)
        find("sent again, without a fault since it was accepted", String(line.event.id));
    }
  return findings;
}
