import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import type { Tracer } from "../kit/trace.ts";
import type { Lease } from "../work/lease.ts";
import type { Claim, Exchange, Line } from "../work/policy.ts";
import { type ClaimedEvent, claimReplayed } from "./claim-events.ts";
import type { Route } from "./event-log.ts";
import type { OutcomeLog } from "./outcomes.ts";
import { ALONE, entryBackOffMs, outcomeOf, startSending, UNSAID } from "./publish-line.ts";
import type { SnsDestination } from "./sns-destination.ts";

/** The name of the line of all replays. */
export const REPLAYS = "replays";

/** How long nothing is asked for after a claim that found nothing, in ms: each wake-up of a live event would. */
const REST_MS = 250;

interface ReplayLineOptions {
  db: Database;
  /** The routes of this process. */
  routes: readonly Route[];
  /** Other topics that it may send replays to. */
  otherTopics: readonly string[];
  destination: SnsDestination;
  outcomes: OutcomeLog;
  tracer: Tracer | null;
  lease: Lease;
}

/**
 * What replays have queued, for whichever topic: sent after everything live, with a quarter of the requests at
 * most (G9). Its faults change nothing of a topic, and are told by the replay: each event backs off by itself,
 * one that is refused becomes `dead`, and `held` if the topic is.
 */
export class ReplayLine implements Line<ClaimedEvent> {
  readonly name = REPLAYS;
  readonly share = 0.25;
  readonly #options: ReplayLineOptions;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ReplayLineOptions) {
    this.#options = options;
  }

  async claim(wanted: number): Promise<Claim<ClaimedEvent>> {
    const restsMs = this.#restsUntil - performance.now();
    if (restsMs > 0) return { items: [], more: false, moreInMs: restsMs };
    const items = await claimReplayed.execute(this.#options.db, { ...this.#options, wanted });
    if (items.length > 0) step("replayed events claimed");
    else this.#restsUntil = performance.now() + REST_MS;
    return { items, more: items.length >= wanted, moreInMs: null };
  }

  async run(batch: readonly ClaimedEvent[], { ended }: Exchange): Promise<boolean> {
    const { destination, outcomes, tracer } = this.#options;
    const { topicArn, replayId } = batch[0] ?? {};
    if (typeof topicArn !== "string" || typeof replayId !== "string")
      throw new Error("An event without a replay stood in the line of the replays");
    step("replayed events leave");
    const traced = tracer === null ? null : startSending(tracer, topicArn, batch, replayId);
    const outcome = await destination.send(topicArn, traced?.events ?? batch, replayId);
    traced?.end(outcome);
    step("replayed events accepted");
    ended();
    const entries = batch.map((event, index) => ({
      event,
      entry: outcome.kind === "answered" ? (outcome.entries[index] ?? UNSAID) : outcome,
    }));
    // One of several that is refused is tried alone: it may be the batch that was wrong.
    const isToTryAlone = ({ entry }: (typeof entries)[number]) =>
      entry.kind === "refused" && batch.length > 1;
    await Promise.all(
      entries
        .filter((one) => !isToTryAlone(one))
        .map(({ event, entry }) =>
          outcomes.keep(outcomeOf(event, topicArn, entry, entryBackOffMs(event.attempt)), []),
        ),
    );
    for (const { event } of entries.filter(isToTryAlone)) await this.run([event], ALONE);
    return true;
  }
}
