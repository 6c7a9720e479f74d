import type { Alarm, AlarmChange } from "../../database/alarms.ts";
import type { Unproven } from "../list/list-reader.ts";
import type { ClaimedSweep } from "./sweep-row.ts";

/** So many faults in a row are a person's matter. */
const ALARMING_FAULTS = 3;

/** So many days are named. */
const NAMED = 3;

const about = ({ source, collectionId }: ClaimedSweep) =>
  ({ name: "sweep_failing", source, subject: collectionId }) as const;

/** What the end of an automatic sweep tells of its list; what a person asked for tells that person. */
export function alarmsAtEnd(sweep: ClaimedSweep, unproven: readonly Unproven[]): AlarmChange {
  if (sweep.kind !== "automatic") return {};
  if (unproven.length === 0) return { clears: [about(sweep)] };
  const days = unproven.slice(0, NAMED).map(({ first, last, why }) => `${first} to ${last}: ${why}`);
  const more = unproven.length > NAMED ? ` and ${unproven.length - NAMED} more` : "";
  const detail =
    `The provider's list of this collection contradicts itself, however it is read: ${days.join("; ")}` +
    `${more}. What it showed was used; what it may hide waits. The other days were read. It is read again ` +
    "with the next sweep.";
  return { raises: [{ ...about(sweep), detail }] };
}

/** What a fault tells, if it is not the first in a row. */
export function alarmsAtFault(sweep: ClaimedSweep, faults: number, error: string): Alarm[] {
  if (faults < ALARMING_FAULTS) return [];
  const detail =
    `The provider's list of this collection cannot be read, ${faults} times in a row: ${error} What ` +
    "callbacks missed there waits. It is tried again by itself.";
  return [{ ...about(sweep), detail }];
}
