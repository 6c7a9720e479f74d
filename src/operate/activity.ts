import { z } from "zod";
import { readStates } from "../confirm/queue/read-confirmations.ts";
import { databaseTime } from "../database/server.ts";
import type { Database } from "../database/tables.ts";
import { eventsByMinute, newestDeliveries, publicationsByMinute } from "../publish/read-events.ts";
import { callbacksByMinute } from "../receive/log/list-callbacks.ts";
import { listUpstreams } from "../upstreams/change.ts";
import { SOURCE, TOPIC } from "../upstreams/upstream-kind.ts";
import { readBacklogAges } from "./backlog.ts";
import { time, whole } from "./operations/fields.ts";
import { upstreamList } from "./status.ts";

const count = whole.nullable().describe("null while it is still being counted.");

const counted = z.object({
  at: time.describe("When it begins."),
  received: count.describe("Callbacks recorded."),
  confirmed: count.describe("Payments confirmed for the first time, each with a new event."),
  published: count.describe("Acceptances by SNS, replays left out."),
});
type Counted = z.output<typeof counted>;

export const activity = z.object({
  at: time,
  minutes: z.array(counted).describe("Oldest first; the last minute is still running."),
  latency: z
    .object({
      p50Ms: z.number(),
      p95Ms: z.number(),
      p99Ms: z.number(),
      payments: whole.describe("How many of the newest payments it is based on."),
    })
    .nullable()
    .describe("From the callback to SNS accepting the event; null without payments."),
  oldest: z.object({
    confirmationSeconds: z.number().describe("Since the oldest request that no answer covers."),
    eventSeconds: z.number().describe("Age of the oldest event that should be published."),
  }),
  upstreams: upstreamList,
});
export type Activity = z.output<typeof activity>;

export const history = z.object({
  at: time,
  stepMinutes: whole,
  steps: z.array(counted).describe("Oldest first; the last one is still running."),
});
export type History = z.output<typeof history>;

/** What the history shows: how many steps, and how long each is, in minutes. A step begins at midnight, UTC. */
export const HISTORY = {
  "24h": { steps: 96, stepMinutes: 15 },
  "7d": { steps: 84, stepMinutes: 120 },
} as const;
export type HistoryRange = keyof typeof HISTORY;

/** The most minutes that are shown one by one. */
export const MINUTE_LIMIT = 180;

/** How busy it is, by the minute. */
export function activityBook(db: Database): (minutes: number) => Promise<Activity> {
  const book = new ActivityBook(db, MINUTE_LIMIT);
  return async (minutes) => {
    const at = await databaseTime(db);
    const counted = await book.count(minutes, at);
    const ages = await readBacklogAges(db);
    return {
      at,
      minutes: counted,
      latency: await readLatency(db),
      oldest: {
        confirmationSeconds: ages.oldestConfirmationSeconds,
        eventSeconds: ages.oldestEventSeconds,
      },
      upstreams: { sources: await listUpstreams(db, SOURCE), topics: await listUpstreams(db, TOPIC) },
    };
  };
}

export function historyBooks(db: Database): (range: HistoryRange) => Promise<History> {
  const bookOf = ({ steps, stepMinutes }: (typeof HISTORY)[HistoryRange]) =>
    new ActivityBook(db, steps, stepMinutes * MINUTE_MS);
  const books = { "24h": bookOf(HISTORY["24h"]), "7d": bookOf(HISTORY["7d"]) };
  return async (range) => {
    const { steps, stepMinutes } = HISTORY[range];
    const at = await databaseTime(db);
    return { at, stepMinutes, steps: await books[range].count(steps, at) };
  };
}

const MINUTE_MS = 60_000;

/** A step is counted again this long after its end, in ms: callbacks commit after their timestamp. */
const SETTLED_AFTER_MS = 2 * MINUTE_MS;

/** The most that one statement counts: steps, and in ms. */
const AT_ONCE = 15;
const AT_ONCE_MS = 4 * 60 * MINUTE_MS;

/** How long one look may count, in ms; the next look counts the rest. */
const COUNTING_MS = 100;

const PAYMENTS = 1_000;

type Counts = Omit<Counted, "at">;

/**
 * Counts what happened, minute by minute or in longer steps. Finished ones are remembered, so that a second
 * look counts only the newest; a first look at busy hours counts in parts, newest first.
 */
export class ActivityBook {
  readonly #db: Database;
  readonly #counted = new Map<number, Counts>();
  readonly #stepLimit: number;
  readonly #stepMs: number;

  /** @param stepLimit how many steps are remembered. @param stepMs whole minutes: what is counted as one. */
  constructor(db: Database, stepLimit: number, stepMs = MINUTE_MS) {
    this.#db = db;
    this.#stepLimit = stepLimit;
    this.#stepMs = stepMs;
  }

  /** The last steps, the oldest first; the last one is still running. */
  async count(steps: number, now: Date): Promise<Counted[]> {
    const stepMs = this.#stepMs;
    const end = Math.floor(now.getTime() / stepMs) * stepMs + stepMs;
    const counts = await this.#count(end - steps * stepMs, end, now.getTime());
    return Array.from({ length: steps }, (_, index) => {
      const at = end - (steps - index) * stepMs;
      return { at: new Date(at), ...(counts.get(at) ?? NOT_COUNTED) };
    });
  }

  async #count(from: number, end: number, now: number): Promise<Map<number, Counts>> {
    const stepMs = this.#stepMs;
    const atOnceMs = Math.max(stepMs, Math.min(AT_ONCE * stepMs, AT_ONCE_MS));
    const until = performance.now() + COUNTING_MS;
    const counts = new Map<number, Counts>();
    for (let to = end; to > from; ) {
      // Remembered steps need no statement.
      const known = this.#counted.get(to - stepMs);
      if (known !== undefined) {
        counts.set(to - stepMs, known);
        to -= stepMs;
        continue;
      }
      if (to !== end && performance.now() >= until) {
        to -= stepMs;
        continue;
      }
      let begin = to - stepMs;
      while (begin > from && to - begin < atOnceMs && !this.#counted.has(begin - stepMs)) begin -= stepMs;
      for (const [at, step] of await this.#countBetween(begin, to)) {
        counts.set(at, step);
        if (at + stepMs + SETTLED_AFTER_MS <= now) this.#counted.set(at, step);
      }
      to = begin;
    }
    for (const at of this.#counted.keys()) if (at < end - this.#stepLimit * stepMs) this.#counted.delete(at);
    return counts;
  }

  async #countBetween(begin: number, end: number): Promise<[at: number, counts: Counts][]> {
    const [from, to] = [new Date(begin), new Date(end)];
    const stepMs = this.#stepMs;
    const inSteps = (minutes: Map<number, number>) => {
      const steps = new Map<number, number>();
      for (const [at, count] of minutes) {
        const step = at - (at % stepMs);
        steps.set(step, (steps.get(step) ?? 0) + count);
      }
      return (at: number) => steps.get(at) ?? 0;
    };
    const received = inSteps(await callbacksByMinute(this.#db, from, to));
    const confirmed = inSteps(await eventsByMinute(this.#db, from, to));
    const published = inSteps(await publicationsByMinute(this.#db, from, to));
    return Array.from({ length: (end - begin) / stepMs }, (_, index) => {
      const at = begin + index * stepMs;
      return [at, { received: received(at), confirmed: confirmed(at), published: published(at) }];
    });
  }
}

const NOT_COUNTED: Counts = { received: null, confirmed: null, published: null };

async function readLatency(db: Database): Promise<Activity["latency"]> {
  const deliveries = await newestDeliveries(db, PAYMENTS);
  const asked = new Map(
    (await readStates(db, deliveries))
      .filter(({ openedBy }) => openedBy === "callback")
      .map((one) => [`${one.source} ${one.invoiceId}`, one]),
  );
  const took = deliveries.flatMap(({ source, invoiceId, createdAt, publishedAt }) => {
    const standing = asked.get(`${source} ${invoiceId}`);
    if (standing === undefined) return [];
    // If it was requested again since, it is unknown which request led to the event: the first one gives the
    // longest time.
    const since = standing.requestedAt <= createdAt ? standing.requestedAt : standing.openedAt;
    return [Math.max(0, +publishedAt - +since)];
  });
  return latencyOf(took);
}

/** Percentiles by the nearest rank. Pure. @param took in ms, in any order; null for none. */
export function latencyOf(took: readonly number[]): Activity["latency"] {
  if (took.length === 0) return null;
  const sorted = [...took].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), payments: sorted.length };
}
