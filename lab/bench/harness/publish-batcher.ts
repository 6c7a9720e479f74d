import type { OutgoingEvent } from "../../../src/publish/sns-destination.ts";
import { type EntryOutcome, SnsDestination } from "../../../src/publish/sns-destination.ts";
import { TOPIC_ARN } from "./sample-payment.ts";

interface Waiting {
  event: OutgoingEvent;
  settle(outcome: EntryOutcome): void;
}

/** An event that SNS took. */
export interface Accepted {
  event: OutgoingEvent;
  messageId: string;
}

export interface PublishBatcherOptions {
  snsUrl: string;
  /** How long an event waits for others to share its batch, in ms; 0 sends it alone and at once. */
  lingerMs: number;
  /** Called with what SNS accepted, a batch at a time, before anybody is told. */
  onAccepted?: (accepted: Accepted[]) => Promise<void>;
}

/** As many under way as the relay allows itself. */
const BATCHES_IN_FLIGHT = 8;

const UNKNOWN: EntryOutcome = { kind: "failed", error: "no outcome" };

/** Gathers events of jobs side by side into PublishBatch calls, and tells each its own outcome. */
export class PublishBatcher {
  readonly #options: PublishBatcherOptions;
  readonly #destination: SnsDestination;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #linger: NodeJS.Timeout | undefined;

  constructor(options: PublishBatcherOptions) {
    this.#options = options;
    this.#destination = new SnsDestination({
      region: "us-east-1",
      endpoint: options.snsUrl,
      connections: BATCHES_IN_FLIGHT,
      timeoutMs: 10_000,
    });
  }

  publish(event: OutgoingEvent): Promise<EntryOutcome> {
    return new Promise((settle) => {
      this.#waiting.push({ event, settle });
      const { lingerMs } = this.#options;
      if (lingerMs === 0 || this.#waiting.length >= this.#destination.batchSize) this.#send();
      else this.#linger ??= setTimeout(() => this.#send(), lingerMs);
    });
  }

  #send(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    while (this.#waiting.length > 0 && this.#inFlight < BATCHES_IN_FLIGHT) {
      this.#inFlight += 1;
      void this.#deliver(this.#waiting.splice(0, this.#destination.batchSize));
    }
  }

  async #deliver(batch: Waiting[]): Promise<void> {
    const outcomes = await this.#outcomesOf(batch.map(({ event }) => event));
    this.#inFlight -= 1;
    for (const [place, { settle }] of batch.entries()) settle(outcomes[place] ?? UNKNOWN);
    if (this.#waiting.length > 0) this.#send();
  }

  async #outcomesOf(events: OutgoingEvent[]): Promise<readonly EntryOutcome[]> {
    const answer = await this.#destination.send(TOPIC_ARN, events);
    if (answer.kind !== "answered") return [];
    const accepted = events.flatMap((event, place) => {
      const outcome = answer.entries[place];
      return outcome?.kind === "accepted" ? [{ event, messageId: outcome.messageId }] : [];
    });
    try {
      if (accepted.length > 0) await this.#options.onAccepted?.(accepted);
      return answer.entries;
    } catch {
      // Accepted and not written down: published again later, with the same id.
      return [];
    }
  }
}
