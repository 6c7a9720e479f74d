import { type RawBuilder, sql } from "kysely";
import { RelayError } from "../kit/errors.ts";
import type { ReplayFilters, ReplayKind, ReplayTarget } from "./replay.ts";

/** What a condition of one filter looks like for one kind. */
type Conditions = {
  [Name in keyof ReplayFilters]?: (value: NonNullable<ReplayFilters[Name]>) => RawBuilder<unknown>;
};

/** All given filters at once, as one SQL condition. */
export function conditionOf(filters: ReplayFilters, conditions: Conditions): RawBuilder<unknown> {
  const parts = Object.entries(conditions).flatMap(([name, condition]) => {
    const value = filters[name as keyof ReplayFilters];
    return value === undefined ? [] : [(condition as (value: unknown) => RawBuilder<unknown>)(value)];
  });
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
}

const WHERE_ELSE: [filter: keyof ReplayFilters, kinds: readonly ReplayKind[], name: string][] = [
  ["eventType", ["events"], "the event type"],
  ["callbackIds", ["callbacks"], "callbacks by their ids"],
  ["refused", ["callbacks"], "refused callbacks"],
];

/**
 * @throws RelayError for what this kind of replay cannot be restricted to or sent to, rather than ignoring
 *   it.
 */
export function refuseMeaningless(kind: ReplayKind, filters: ReplayFilters, target: ReplayTarget): void {
  for (const [filter, kinds, name] of WHERE_ELSE) {
    if (filters[filter] !== undefined && !kinds.includes(kind))
      refuse(`A replay of ${kind} does not know ${name}: that is for a replay of ${kinds.join(" or ")}.`);
  }
  if (target.kind !== "topics" && kind !== "events")
    refuse(`A replay of ${kind} asks the provider again; only events go to another topic or a file.`);
  const { from, to } = filters;
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    refuse(`The time from ${from} to ${to} is empty: the first must be the earlier one.`);
}

function refuse(message: string): never {
  throw new RelayError(message, { next: "refuse", code: "usage" });
}
