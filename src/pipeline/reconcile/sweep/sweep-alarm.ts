import type { Alarm, AlarmChange } from "../../../platform/alarms/index.ts";
import { sentence } from "../../../platform/values/index.ts";
import { describeUnproven, type Unproven } from "../list/list-reader.ts";
import { ALARMING_FAULTS } from "../list-runs.ts";
import type { ClaimedSweep } from "./sweep-row.ts";

const NAMED = 3;

const about = ({ source, collectionId }: ClaimedSweep) =>
  ({ name: "sweep_failing", source, subject: collectionId }) as const;

/** The alarm of a finished automatic sweep; a sweep on request reports to its caller instead. */
export function alarmsAtEnd(sweep: ClaimedSweep, unproven: readonly Unproven[]): AlarmChange {
  if (sweep.kind !== "automatic") return {};
  if (unproven.length === 0) return { clears: [about(sweep)] };
  const unread = unproven.find(({ isUnread }) => isUnread);
  const contradictory = unproven.filter(({ isUnread }) => !isUnread);
  const detail = [
    ...(unread === undefined ? [] : [unreadWords(unread.why)]),
    ...(contradictory.length === 0 ? [] : [contradictoryWords(contradictory)]),
  ].join(" ");
  return { raises: [{ ...about(sweep), detail }] };
}

/** The alarm of repeated faults; a first fault raises none. */
export const alarmsAtFault = (sweep: ClaimedSweep, faults: number, error: string): Alarm[] =>
  faults < ALARMING_FAULTS ? [] : [{ ...about(sweep), detail: unreadWords(error) }];

/** Without a count, so that the text stays the same from try to try. */
const unreadWords = (error: string): string =>
  `The provider's list could not be read: ${sentence(error)} What callbacks missed there waits. It is ` +
  "retried automatically.";

function contradictoryWords(unproven: readonly Unproven[]): string {
  const days = unproven.slice(0, NAMED).map(describeUnproven);
  const more = unproven.length > NAMED ? ` and ${unproven.length - NAMED} more` : "";
  return (
    `The provider's list of this collection contradicts itself, however it is read: ${days.join("; ")}` +
    `${more}. What it showed was used; what it may be hiding waits. The other days were read. The next ` +
    "sweep reads it again."
  );
}
