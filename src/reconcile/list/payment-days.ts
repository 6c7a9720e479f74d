import { RelayError } from "../../kit/errors.ts";
import { DAY_MS } from "../../kit/time.ts";
import type { PaidWindow } from "./list-period.ts";

/**
 * Converts days of payment as a person writes them (first and last inclusive, YYYY-MM-DD, UTC) to times.
 * @throws RelayError when one is not a day, or the last is before the first.
 */
export function paymentDays(first: string, last: string): PaidWindow {
  const [from, lastDay] = [dayIn("--from", first), dayIn("--to", last)];
  if (lastDay < from) throw new RelayError(`--to ${last} is before --from ${first}.`, { code: "usage" });
  return { from, to: new Date(lastDay.getTime() + DAY_MS) };
}

function dayIn(option: string, text: string): Date {
  const day = new Date(`${text}T00:00:00.000Z`);
  const exists = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime());
  if (exists && day.toISOString().startsWith(text)) return day;
  throw new RelayError(`${option} should be a day such as 2026-10-31, not "${text}".`, { code: "usage" });
}
