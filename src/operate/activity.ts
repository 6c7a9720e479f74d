import type { Kysely } from "kysely";
import { readStates } from "../confirm/queue/read-confirmations.ts";
import { databaseTime } from "../database/server.ts";
import type { Tables } from "../database/tables.ts";
import { eventsByMinute, newestDeliveries, publicationsByMinute } from "../publish/read-events.ts";
import { callbacksByMinute } from "../receive/log/list-callbacks.ts";
import { type ListedUpstream, listUpstreams } from "../upstreams/change.ts";
import { SOURCE, TOPIC } from "../upstreams/upstream-kind.ts";
import { type BacklogAges, readBacklogAges } from "./backlog.ts";

/** What happened in one minute; counts are null until counted. */
interface Minute {
  /** Its start. */
  at: Date;
  /** Callbacks recorded. */
  received: number | null;
  /** Payments confirmed for the first time, each with a new event. */
  confirmed: number | null;
  /** Acceptances by SNS, replays left out. */
  published: number | null;
}

/** From the callback to SNS accepting the event, of the newest payments; in ms. */
interface Latency {
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  /** How many payments. */
  payments: number;
}

/** How busy the relay is. */
export interface Activity {
  at: Date;
  /** Oldest first; the last minute is still running. */
  minutes: Minute[];
  latency: Latency | null;
  oldest: { confirmationSeconds: number; eventSeconds: number };
  upstreams: { sources: ListedUpstream[]; topics: ListedUpstream[] };
}

const MINUTE_MS = 60_000;

/** A minute is counted again this long after its end, in ms: callbacks commit after their timestamp. */
const SETTLED_AFTER_MS = 2 * MINUTE_MS;

/** The most minutes that one statement counts. */
const AT_ONCE = 15;

/** How long one look may count, in ms; the next look counts the rest. */
const COUNTING_MS = 100;

/** How many payments the percentiles are based on. */
const PAYMENTS = 1_000;

type Counts = Omit<Minute, "at">;

/**
 * Counts what happened, minute by minute. Finished minutes are remembered, so that a second look counts only
 * the newest ones; a first look at busy hours counts in parts, newest first.
 */
export class ActivityBook {
  readonly #db: Kysely<Tables>;
  readonly #counted = new Map<number, Counts>();
  readonly #minuteLimit: number;

  constructor(db: Kysely<Tables>, minuteLimit: number) {
    this.#db = db;
    this.#minuteLimit = minuteLimit;
  }

  async read(minutes: number, at?: Date): Promise<Activity> {
    const db = this.#db;
    const now = at ?? (await databaseTime(db));
    const end = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const counts = await this.#count(end - minutes * MINUTE_MS, end, now.getTime());
    const ages = await readBacklogAges(db);
    return {
      at: now,
      minutes: Array.from({ length: minutes }, (_, index) => {
        const at = end - (minutes - index) * MINUTE_MS;
        return { at: new Date(at), ...(counts.get(at) ?? NOT_COUNTED) };
      }),
      latency: await readLatency(db),
      oldest: inSeconds(ages),
      upstreams: { sources: await listUpstreams(db, SOURCE), topics: await listUpstreams(db, TOPIC) },
    };
  }

  async #count(from: number, end: number, now: number): Promise<Map<number, Counts>> {
    const until = performance.now() + COUNTING_MS;
    const counts = new Map<number, Counts>();
    for (let to = end; to > from; ) {
      // Remembered minutes need no statement.
      const known = this.#counted.get(to - MINUTE_MS);
      if (known !== undefined) {
        counts.set(to - MINUTE_MS, known);
        to -= MINUTE_MS;
        continue;
      }
      if (to !== end && performance.now() >= until) {
        to -= MINUTE_MS;
        continue;
      }
      let begin = to - MINUTE_MS;
      while (begin > from && to - begin < AT_ONCE * MINUTE_MS && !this.#counted.has(begin - MINUTE_MS))
        begin -= MINUTE_MS;
      for (const [at, minute] of await this.#countBetween(begin, to)) {
        counts.set(at, minute);
        if (at + MINUTE_MS + SETTLED_AFTER_MS <= now) this.#counted.set(at, minute);
      }
      to = begin;
    }
    for (const at of this.#counted.keys())
      if (at < end - this.#minuteLimit * MINUTE_MS) this.#counted.delete(at);
    return counts;
  }

  async #countBetween(begin: number, end: number): Promise<[at: number, counts: Counts][]> {
    const [from, to] = [new Date(begin), new Date(end)];
    const received = await callbacksByMinute(this.#db, from, to);
    const confirmed = await eventsByMinute(this.#db, from, to);
    const published = await publicationsByMinute(this.#db, from, to);
    return Array.from({ length: (end - begin) / MINUTE_MS }, (_, index) => {
      const at = begin + index * MINUTE_MS;
      const of = (counts: Map<number, number>) => counts.get(at) ?? 0;
      return [at, { received: of(received), confirmed: of(confirmed), published: of(published) }];
    });
  }
}

const NOT_COUNTED: Counts = { received: null, confirmed: null, published: null };

const inSeconds = ({ oldestConfirmationSeconds, oldestEventSeconds }: BacklogAges) => ({
  confirmationSeconds: oldestConfirmationSeconds,
  eventSeconds: oldestEventSeconds,
});

async function readLatency(db: Kysely<Tables>): Promise<Latency | null> {
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
export function latencyOf(took: readonly number[]): Latency | null {
  if (took.length === 0) return null;
  const sorted = [...took].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), payments: sorted.length };
}
