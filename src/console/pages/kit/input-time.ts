import { inUtc } from "./zone.ts";

/**
 * What an input of type datetime-local says, as a time: in the zone that times are shown in.
 * @param text `2026-11-22T04:05`; "" when nothing is filled in. @returns null unless it is a time.
 */
export function momentOf(text: string): Date | null {
  if (text === "") return null;
  const at = new Date(inUtc.value ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? null : at;
}
