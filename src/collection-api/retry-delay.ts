import { DAY_MS } from "../kit/time.ts";

/**
 * The longest wait between two tries of one call; where the provider asks for more, the call fails instead.
 */
export const MOST_WAIT_MS = 30_000;

/**
 * Reads a Retry-After header: seconds, or an HTTP date.
 * @returns ms from `now` (at most a day), or undefined for a header that is missing or says neither.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDateMs(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS);
}

// Date.parse reads nearly anything ("-5" is a year): an HTTP date begins with the day's name.
const httpDateMs = (text: string) => (/^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN);

/**
 * How long to wait before a read is tried again: what the provider asked for and a little jitter on top, else
 * full jitter under a bound that doubles from 200 ms to 5 s.
 * @param attempt how many tries there were: 1 or more.
 * @param random from 0 to 1.
 */
export function retryDelayMs(attempt: number, askedMs: number | undefined, random: number): number {
  if (askedMs !== undefined) return askedMs + random * 100;
  return random * Math.min(200 * 2 ** (attempt - 1), 5_000);
}
