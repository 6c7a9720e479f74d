import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { usageError } from "../../platform/errors/index.ts";
import { answeredId, time, whole } from "../../platform/validation/index.ts";
import { VERDICTS } from "../confirm/index.ts";
import type { Route } from "../publish/index.ts";
import { OWN_VERDICTS } from "../receive/index.ts";

export type ReplayKind = Replay["kind"];
export type ReplayState = Replay["state"];

/** The part of the log to run again, as stored; an omitted filter matches everything. */
const filters = z.object({
  /**
   * ISO 8601, inclusive: when last requested (confirmations), received (callbacks) or created (events).
   */
  from: z.string().optional(),
  /** ISO 8601, exclusive; by default the time the replay was started. */
  to: z.string().optional(),
  /** Lower case. */
  invoiceIds: z.array(answeredId).optional(),
  collection: z.string().optional(),
  /** Of the invoice's confirmation; for callbacks also `unreadable`, `ping` or `refused`. */
  verdict: z.string().optional(),
  source: z.string().optional(),
  /** Only for callbacks: just these. */
  callbackIds: z.array(answeredId).optional(),
  /** Only for callbacks: include those that a signature or address check refused. */
  refused: z.boolean().optional(),
});
export type ReplayFilters = z.output<typeof filters>;

/** The default rates, per second. */
export const DEFAULT_RATES = { confirmations: 20, callbacks: 200, events: 100 } as const;

const target = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("topics") }),
  z.object({ kind: z.literal("other_topic"), topicArn: z.string() }),
]);
export type ReplayTarget = z.output<typeof target>;

export interface ReplayRequest {
  kind: ReplayKind;
  filters: ReplayFilters;
  target: ReplayTarget;
  /** The topics of the settings. */
  routes: readonly Route[];
}

/** The extent of a replay or of its dry run. */
export const replayed = {
  kind: z.enum(["confirmations", "callbacks", "events"]),
  filters,
  target,
  /** How many items matched when it was started. */
  matching: whole,
};

/** The last item processed or queued, in the order of its kind; times as Postgres writes them, to the microsecond. */
export interface Position {
  at?: string;
  id: string;
  source?: string;
}

export const replay = z.object({
  id: answeredId,
  state: z.enum(["running", "done", "failed", "cancelled"]),
  ...replayed,
  /** The most per second. */
  rate: whole,
  requestedBy: z.string(),
  requestedAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  /** Of how many of those that matched it is known what became of them. */
  handled: whole,
  opened: whole,
  /** Entries that SNS accepted. */
  sent: whole,
  /** Entries that SNS refused; `replay show` lists them. */
  refused: whole,
  /** A process works on it now. */
  underWay: z.boolean(),
  /** The reason for its wait; null when it is not waiting. */
  waitsFor: z.string().nullable(),
  lastError: z.string().nullable(),
});
export type Replay = z.output<typeof replay>;

export interface LeasedReplay extends Replay {
  leaseToken: string;
  /** The events of it that were put into the outbox. */
  queued: number;
  position: Position | null;
}

/** The result of one step of a replay; its progress is already saved. */
export type StepOutcome =
  /** This many items were processed, as the rate limit counts them. */
  | { kind: "went"; replay: LeasedReplay; taken: number }
  | Waits
  | { kind: "ends" }
  /** It cannot continue until a person acts. */
  | { kind: "fails"; why: string };

/** Something else goes first, or a fault may pass: how long until it is tried again, in ms. */
export interface Waits {
  kind: "waits";
  /** null while there is nothing to tell. */
  why: string | null;
  ms: number;
  replay?: LeasedReplay;
}

export interface ReplaySteps {
  /** Processes the next items of a replay, at most `limit`, and saves the progress. */
  next(replay: LeasedReplay, limit: number): Promise<StepOutcome>;
}

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
  callbackIds: [],
  refused: true,
};

const WHERE_ELSE: [filter: keyof ReplayFilters, kinds: readonly ReplayKind[], name: string][] = [
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
