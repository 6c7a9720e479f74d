import { faultOf } from "../../kit/fault.ts";
import type { Logger } from "../../kit/log.ts";

export interface WakeQueueOptions {
  /** null: no wake-ups, only the schedule. */
  queueUrl: string | null;
  log: Logger;
}

/** The timeout for SQS, in ms: a wake-up must not delay the response. */
const SEND_TIMEOUT_MS = 1_000;

/**
 * Wakes another function through an SQS queue with bounded concurrency. Requests during a send share the next
 * message. A wake-up may get lost, so no guarantee depends on it: the schedule is the safety net.
 */
export class WakeQueue {
  readonly #options: WakeQueueOptions;
  #send: ((queueUrl: string) => Promise<void>) | null = null;
  #asked = false;
  #sending: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(options: WakeQueueOptions) {
    this.#options = options;
  }

  wake(): void {
    this.#asked = true;
    if (this.#busy) return;
    this.#busy = true;
    this.#sending = this.#sendAll();
  }

  /**
   * Resolves once all requested wake-ups are sent or have failed. Await it before the container may be
   * frozen.
   */
  flush(): Promise<void> {
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { queueUrl, log } = this.#options;
    try {
      while (this.#asked && queueUrl !== null) {
        this.#asked = false;
        this.#send ??= await createSend();
        await this.#send(queueUrl);
      }
    } catch (error) {
      log.warn(faultOf(error), "a wake-up could not be sent; the schedule will pick up the work");
    } finally {
      this.#busy = false;
    }
  }
}

// Loaded on first use: it would double the time until the first callback is recorded.
async function createSend(): Promise<(queueUrl: string) => Promise<void>> {
  const { SendMessageCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const client = new SQSClient({ maxAttempts: 2 });
  return async (queueUrl) => {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "wake up" }), {
      abortSignal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
  };
}
