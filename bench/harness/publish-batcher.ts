import type { PublishBatchRequestEntry } from "@aws-sdk/client-sns";
import { createSnsSender, type EntryOutcome, type SnsSender } from "../../src/publish/sns-sender.ts";
import { TOPIC_ARN } from "./sample-payment.ts";

interface Waiting {
  entry: PublishBatchRequestEntry;
  settle(outcome: EntryOutcome): void;
}

export interface PublishBatcherOptions {
  snsUrl: string;
  /** How long an entry waits for others to share its batch, in ms; 0 sends it alone and at once. */
  lingerMs: number;
  /** Called with what SNS accepted, a batch at a time, before anybody is told. */
  onAccepted?: (messageIds: Map<string, string>) => Promise<void>;
}

/** As many under way as the relay allows itself. */
const BATCHES_IN_FLIGHT = 8;
const ENTRIES_A_BATCH = 10;

/** Gathers entries of jobs side by side into PublishBatch calls, and tells each its own outcome. */
export class PublishBatcher {
  readonly #options: PublishBatcherOptions;
  readonly #sender: SnsSender;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #linger: NodeJS.Timeout | undefined;

  constructor(options: PublishBatcherOptions) {
    this.#options = options;
    this.#sender = createSnsSender({
      region: "us-east-1",
      endpoint: options.snsUrl,
      connections: BATCHES_IN_FLIGHT,
      timeoutMs: 10_000,
    });
  }

  publish(entry: PublishBatchRequestEntry): Promise<EntryOutcome> {
    return new Promise((settle) => {
      this.#waiting.push({ entry, settle });
      const { lingerMs } = this.#options;
      if (lingerMs === 0 || this.#waiting.length >= ENTRIES_A_BATCH) this.#send();
      else this.#linger ??= setTimeout(() => this.#send(), lingerMs);
    });
  }

  #send(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    while (this.#waiting.length > 0 && this.#inFlight < BATCHES_IN_FLIGHT) {
      this.#inFlight += 1;
      void this.#deliver(this.#waiting.splice(0, ENTRIES_A_BATCH));
    }
  }

  async #deliver(batch: Waiting[]): Promise<void> {
    const outcomes = await this.#outcomesOf(batch);
    this.#inFlight -= 1;
    for (const { entry, settle } of batch)
      settle(outcomes.get(entry.Id ?? "") ?? { kind: "failed", error: "no outcome" });
    if (this.#waiting.length > 0) this.#send();
  }

  async #outcomesOf(batch: Waiting[]): Promise<Map<string, EntryOutcome>> {
    const answer = await this.#sender.send(
      TOPIC_ARN,
      batch.map(({ entry }) => entry),
    );
    if (answer.kind !== "answered") return new Map();
    const accepted = new Map<string, string>();
    for (const [id, outcome] of answer.entries)
      if (outcome.kind === "accepted") accepted.set(id, outcome.messageId);
    try {
      if (accepted.size > 0) await this.#options.onAccepted?.(accepted);
      return answer.entries;
    } catch {
      // Accepted and not written down: published again later, with the same id.
      return new Map();
    }
  }
}
