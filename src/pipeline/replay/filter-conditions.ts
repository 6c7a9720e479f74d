import { type RawBuilder, sql } from "kysely";
import { usageError } from "../../platform/errors/index.ts";
import { VERDICTS } from "../confirm/index.ts";
import { OWN_VERDICTS } from "../receive/index.ts";
import type { Position, ReplayFilters, ReplayKind, ReplayRequest } from "./replay.ts";

/** The condition for each filter that a kind of replay supports. */
type Conditions = {
  [Name in keyof ReplayFilters]?: (value: NonNullable<ReplayFilters[Name]>) => RawBuilder<unknown>;
};

/** The next items that match, after a position. */
export interface Selection {
  filters: ReplayFilters;
  after: Position | null;
  most: number;
}

export function conditionOf(filters: ReplayFilters, conditions: Conditions): RawBuilder<unknown> {
  const parts = Object.entries(conditions).flatMap(([name, condition]) => {
    const value = filters[name as keyof ReplayFilters];
    return value === undefined ? [] : [(condition as (value: unknown) => RawBuilder<unknown>)(value)];
  });
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
}

/** A condition on `confirmation`: it has this verdict; before its first usable answer it is pending. */
export const hasVerdict = (verdict: string): RawBuilder<unknown> =>
  verdict === "pending"
    ? sql`(confirmation.verdict is null or confirmation.verdict = 'pending')`
    : sql`confirmation.verdict = ${verdict}`;

/** For the test that prepares each shape of a statement. */
export const EVERY_FILTER: Required<ReplayFilters> = {
  from: "",
  to: "",
  invoiceIds: [],
  collection: "",
  verdict: "paid",
  source: "",
  eventType: "",
  callbackIds: [],
  refused: true,
};

const WHERE_ELSE: [filter: keyof ReplayFilters, kinds: readonly ReplayKind[], name: string][] = [
  ["eventType", ["events"], "an event type"],
  ["callbackIds", ["callbacks"], "callbacks by their ids"],
  ["refused", ["callbacks"], "refused callbacks"],
];

/**
 * @throws RelayError for a filter or target that this kind of replay does not support, instead of ignoring
 *   it.
 */
export function refuseMeaningless({ kind, filters, target, routes }: ReplayRequest): void {
  for (const [filter, kinds, name] of WHERE_ELSE) {
    if (filters[filter] !== undefined && !kinds.includes(kind))
      throw usageError(
        `A replay of ${kind} cannot select ${name}: only a replay of ${kinds.join(" or ")} can.`,
      );
  }
  if (target.kind !== "topics" && kind !== "events")
    throw usageError(`A replay of ${kind} asks the provider again; only events go to another topic.`);
  const { from, to, verdict, source } = filters;
  const isServed = source === undefined || routes.some((route) => route.source === source);
  if (kind === "events" && target.kind === "topics" && !isServed)
    throw usageError(
      `The settings have no topic for source ${source}. Replay its events to another topic (--topic).`,
    );
  const known: readonly string[] = kind === "callbacks" ? [...VERDICTS, ...OWN_VERDICTS] : VERDICTS;
  if (verdict !== undefined && !known.includes(verdict))
    throw usageError(`A replay of ${kind} cannot select the verdict ${verdict}: only ${known.join(", ")}.`);
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    throw usageError(`The period from ${from} to ${to} is empty: \`from\` must be before \`to\`.`);
}
