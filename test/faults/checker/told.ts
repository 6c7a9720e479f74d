import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { Books } from "./read-books.ts";

/** Messages are sent every five seconds, so changes this close to the end, in ms, may still be pending. */
const TOLD_WITHIN_MS = 15_000;

/** G13: a message was sent for the start and for the end of each alarm; duplicates do no harm. */
export function checkTold({ told }: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
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
    const find = (what: string) => findings.push({ guarantee: "G13", what, about: `${name} ${subject}` });
    if (about.length === 0 && !isNews(raised_at)) find("no message was sent for it");
    else if (!isNews(cleared_at) && !about.some(({ clearedAt }) => isSame(clearedAt, cleared_at)))
      find("no message was sent for its end");
  }
  return findings;
}
