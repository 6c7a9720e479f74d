import type { Kysely } from "kysely";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import { InHand } from "../workers/in-hand.ts";
import { extendLeases } from "../workers/leases.ts";
import { Signal, waitForEither } from "../workers/signal.ts";
import { claimEvents, type Route } from "./claim-events.ts";
import { batchesOf, type ClaimedEvent, entryOf, type SizedEntry } from "./entry.ts";
import type { EventSettlement, PublicationStore } from "./publication-store.ts";
import type { EntryOutcome, SnsSender } from "./sns-sender.ts";
import { entryBackOffMs, type TopicGate } from "./topic-gate.ts";

export interface PublishPassOptions {
  db: Kysely<Tables>;
  store: PublicationStore;
  sender: SnsSender;
  alarms: Alarms;
  log: Logger;
  metrics: Metrics;
  routes: readonly (Route & { gate: TopicGate })[];
  /** The most batches under way at a time. */
  batchesInFlight: number;
  leaseMs: number;
  /** Raised when there may be new events. */
  wake: Signal;
}

type OpenRoute = PublishPassOptions["routes"][number];
type Outgoing = SizedEntry & { event: ClaimedEvent };

const ENTRIES_A_BATCH = 10;

/** The safety net for a wake-up that got lost while SNS is slow, in ms. */
const POLL_MS = 1_000;

/**
 * Drains the outbox to SNS, several batches at a time, until nothing is due. Each entry's outcome is kept by
 * itself, and only what failed or is unknown is sent again, with the same id (G5). When `stop` aborts, nothing
 * more is claimed and what is under way is finished.
 * @returns when there may be more, in ms; null when only new work would change it.
 */
export async function publishPass(options: PublishPassOptions, stop: AbortSignal): Promise<number | null> {
  return await new Pass(options, stop).run();
}

class Pass {
  readonly #options: PublishPassOptions;
  readonly #stop: AbortSignal;
  readonly #inHand = new InHand<ClaimedEvent>();
  readonly #progress = new Signal();
  #batches = 0;
  #moreIsDue = false;
  #failure: unknown;

  constructor(options: PublishPassOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
  }

  async run(): Promise<number | null> {
    const { leaseMs, wake } = this.#options;
    const extending = setInterval(() => void this.#extend(), leaseMs / 3);
    try {
      let newWork = true;
      for (;;) {
        const moreInMs: number | null =
          (newWork || this.#moreIsDue) && this.#mayClaim() ? await this.#claim() : null;
        if (this.#batches === 0) {
          if (this.#failure !== undefined) throw this.#failure;
          if (this.#stop.aborted || !this.#moreIsDue) return moreInMs;
        } else {
          newWork = (await waitForEither(wake, this.#progress, POLL_MS)) !== "second";
        }
      }
    } finally {
      clearInterval(extending);
    }
  }

  #mayClaim(): boolean {
    return (
      !this.#stop.aborted && this.#failure === undefined && this.#batches < this.#options.batchesInFlight
    );
  }

  async #claim(): Promise<number | null> {
    const { db, routes, batchesInFlight, leaseMs } = this.#options;
    let soonest: number | null = null;
    this.#moreIsDue = false;
    try {
      for (const route of routes) {
        const wanted = (batchesInFlight - this.#batches) * ENTRIES_A_BATCH;
        if (wanted <= 0) {
          this.#moreIsDue = true;
          break;
        }
        const { events, opensInMs, probing } = await claimEvents(db, route, wanted, leaseMs);
        if (probing) route.gate.doubt();
        if (opensInMs !== null) soonest = Math.min(soonest ?? opensInMs, opensInMs);
        if (events.length >= wanted) this.#moreIsDue = true;
        this.#start(route, events);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    return soonest;
  }

  #start(route: OpenRoute, events: readonly ClaimedEvent[]): void {
    for (const event of events) this.#inHand.add(event);
    const outgoing = events.map((event) => ({ event, ...entryOf(event, route.topicArn) }));
    for (const batch of batchesOf(outgoing)) {
      this.#batches += 1;
      void this.#publish(route, batch);
    }
  }

  async #publish(route: OpenRoute, batch: Outgoing[]): Promise<void> {
    try {
      await this.#send(route, batch);
    } catch (error) {
      this.#failure ??= error;
    } finally {
      for (const { event } of batch) this.#inHand.delete(event);
      this.#batches -= 1;
      this.#progress.raise();
    }
  }

  async #send(route: OpenRoute, batch: Outgoing[]): Promise<void> {
    const { sender } = this.#options;
    const outcome = await sender.send(
      route.topicArn,
      batch.map(({ entry }) => entry),
    );
    switch (outcome.kind) {
      case "answered":
        await Promise.all([route.gate.works(), ...this.#settleAll(route, batch, outcome.entries)]);
        return;
      case "refused":
        await this.#alone(route, batch, outcome.error);
        return;
      case "failed":
      case "topic_refused":
        await route.gate[outcome.kind === "failed" ? "failed" : "refused"](outcome.error);
        await Promise.all(
          batch.map(({ event }) => this.#settle(route, event, { kind: "failed", error: outcome.error }, 0)),
        );
    }
  }

  #settleAll(
    route: OpenRoute,
    batch: Outgoing[],
    outcomes: ReadonlyMap<string, EntryOutcome>,
  ): Promise<void>[] {
    return batch.map((outgoing) => {
      const outcome = outcomes.get(outgoing.event.id) ?? {
        kind: "failed" as const,
        error: "SNS said nothing about this entry",
      };
      if (outcome.kind === "refused" && batch.length > 1) return this.#send(route, [outgoing]);
      return this.#settle(route, outgoing.event, outcome, entryBackOffMs(outgoing.event.attempt));
    });
  }

  // The sender's fault: each entry alone, so that only the bad one is buried.
  async #alone(route: OpenRoute, batch: Outgoing[], error: string): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined)
      return await this.#settle(route, only.event, { kind: "refused", error }, 0);
    for (const outgoing of batch) await this.#send(route, [outgoing]);
  }

  async #settle(
    route: OpenRoute,
    event: ClaimedEvent,
    outcome: EntryOutcome,
    dueInMs: number,
  ): Promise<void> {
    const { store, metrics, alarms } = this.#options;
    const common = { id: event.id, leaseToken: event.leaseToken, topicArn: route.topicArn, dueInMs };
    const settled: Record<EntryOutcome["kind"], Pick<EventSettlement, "state">> = {
      accepted: { state: "published" },
      refused: { state: "dead" },
      failed: { state: "due" },
    };
    metrics.published.inc({ outcome: outcome.kind });
    await store.settle({
      ...common,
      ...settled[outcome.kind],
      messageId: outcome.kind === "accepted" ? outcome.messageId : null,
      error: outcome.kind === "accepted" ? null : outcome.error,
    });
    if (outcome.kind !== "refused") return;
    const detail = `SNS refuses this event: ${outcome.error}. See: invoice-relay dead show ${event.id}`;
    await alarms.raise({ name: "event_dead", source: event.source, subject: event.id, detail });
  }

  async #extend(): Promise<void> {
    try {
      await extendLeases(this.#options.db, "event", this.#inHand.tokens(), this.#options.leaseMs);
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        "leases could not be extended; another worker may take the work up",
      );
    }
  }
}
