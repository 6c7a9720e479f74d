import type { Step } from "../../../../operations/views/timeline.ts";
import { dayText } from "../kit/time.ts";

export interface Drawn extends Step {
  /** A page that shows it whole. */
  to?: string;
  /** The page of several in a row. */
  toAll?: string;
}

/** A line of a story: something that happened, or several times in a row the same. */
interface StoryLine {
  first: Drawn;
  at: string;
  times: number;
  lastAt: string;
  /** The day that begins with it, in the zone that is shown; null on the same day as the line before. */
  day: string | null;
}

/** A story with its days, and what reads the same folded into one line. Pure. @param rows in the order of time. */
export function storyOf(rows: readonly { at: string; row: Drawn }[], timeZone: string): StoryLine[] {
  const lines: StoryLine[] = [];
  let today: string | null = null;
  for (const { at, row } of rows) {
    const day: string = dayText(new Date(at), timeZone);
    const last = lines.at(-1);
    if (last !== undefined && day === today && isSame(last.first, row)) {
      last.times += 1;
      last.lastAt = at;
    } else lines.push({ first: row, at, times: 1, lastAt: at, day: day === today ? null : day });
    today = day;
  }
  return lines;
}

const isSame = (one: Drawn, other: Drawn): boolean =>
  one.way === other.way && one.tone === other.tone && one.says === other.says && one.detail === other.detail;
