import { z } from "zod";
import { readStates } from "../pipeline/confirm/index.ts";
import { eventsByMinute, newestDeliveries, publicationsByMinute } from "../pipeline/publish/index.ts";
import { callbacksByMinute } from "../pipeline/receive/index.ts";
import { type Database, databaseTime } from "../platform/database/index.ts";
import { listUpstreams, SOURCE, TOPIC } from "../platform/upstreams/index.ts";
import { readBacklogAges } from "./backlog.ts";
import { time, whole } from "./list/fields.ts";
import { upstreamList } from "./status.ts";

const counted = z.object({
  at: time.describe("When it begins."),
  received: whole.describe("Callbacks recorded."),
  confirmed: whole.describe("Payments confirmed for the first time, each with a new event."),
  published: whole.describe("Acceptances by SNS, replays left out."),
});
type Counted = z.output<typeof counted>;

export const activity = z.object({
  at: time,
  minutes: z.array(counted).describe("Of the last hour, oldest first; the last minute is still running."),
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

/** How busy it is, by the minute. */
export function activityBook(db: Database): () => Promise<Activity> {
  const book = new ActivityBook(db);
  return async () => {
    const at = await databaseTime(db);
    const minutes = await book.count(at);
    const ages = await readBacklogAges(db);
    return {
      at,
      minutes,
      latency: await readLatency(db),
      oldest: {
        confirmationSeconds: ages.oldestConfirmationSeconds,
        eventSeconds: ages.oldestEventSeconds,
      },
      upstreams: { sources: await listUpstreams(db, SOURCE), topics: await listUpstreams(db, TOPIC) },
    };
  };
}

const MINUTE_MS = 60_000;
const SHOWN_MINUTES = 60;

/** A minute is counted again for so long after its end, in ms: callbacks commit after their timestamp. */
const SETTLED_AFTER_MS = 2 * MINUTE_MS;

const PAYMENTS = 1_000;

/** Counts what happened in the last hour; minutes that are over are remembered, and not counted again. */
export class ActivityBook {
  readonly #db: Database;
  #settled = new Map<number, Counted>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The oldest first; the last one is still running. */
  async count(now: Date): Promise<Counted[]> {
    const end = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const ats = Array.from({ length: SHOWN_MINUTES }, (_, n) => end - (SHOWN_MINUTES - n) * MINUTE_MS);
    const begin = ats.find((at) => !this.#settled.has(at)) ?? end;
    const [from, to] = [new Date(begin), new Date(end)];
    const received = await callbacksByMinute(this.#db, from, to);
    const confirmed = await eventsByMinute(this.#db, from, to);
    const published = await publicationsByMinute(this.#db, from, to);
    const minutes = ats.map((at) =>
      at < begin
        ? (this.#settled.get(at) as Counted)
        : {
            at: new Date(at),
            received: received.get(at) ?? 0,
            confirmed: confirmed.get(at) ?? 0,
            published: published.get(at) ?? 0,
          },
    );
    const isSettled = ({ at }: Counted) => at.getTime() + MINUTE_MS + SETTLED_AFTER_MS <= now.getTime();
    this.#settled = new Map(minutes.filter(isSettled).map((minute) => [minute.at.getTime(), minute]));
    return minutes;
  }
}

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
