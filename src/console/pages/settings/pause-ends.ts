import { momentOf } from "../kit/input-time.ts";

const MINUTE_MS = 60_000;

/**
 * When a pause ends by itself, as one chooses it; `own` is a time of one's own, `never` until somebody
 * resumes it.
 */
export const ENDS = [
  { name: "15", title: "15 minutes" },
  { name: "60", title: "1 hour" },
  { name: "240", title: "4 hours" },
  { name: "own", title: "At a time of your own" },
  { name: "never", title: "When somebody resumes it" },
] as const;

export type End = (typeof ENDS)[number]["name"];

/** @param own of an input of type datetime-local. @returns null for a pause without an end. */
export function endOf(end: End, own: string, now: Date): Date | null {
  if (end === "never") return null;
  if (end === "own") return momentOf(own);
  return new Date(now.getTime() + Number(end) * MINUTE_MS);
}
