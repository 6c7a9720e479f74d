import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";

export interface WakeQueueOptions {
  /** null: nobody is woken, the schedule has to do. */
  queueUrl: string | null;
  log: Logger;
}

/** How long SQS may take, in ms: a wake-up is never worth a slow answer. */
const SEND_TIMEOUT_MS = 1_000;

/**
 * Wakes another function through an SQS queue, whose concurrency is bounded. What is asked for while a
 * message is under way shares the next one. A wake-up may get lost, so no guarantee rests on it: the schedule
 * is the safety net.
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
   * Resolves once all that was asked for is sent, or has failed. To be awaited before the container may
   * freeze.
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
      log.warn({ error: messageOf(error) }, "a wake-up could not be sent; the schedule takes the work up");
    } finally {
      this.#busy = false;
    }
  }
}

// Loaded when it is first needed: it would double the time until the first callback is recorded.
async function createSend(): Promise<(queueUrl: string) => Promise<void>> {
  const { SendMessageCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const client = new SQSClient({ maxAttempts: 2 });
  return async (queueUrl) => {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "wake up" }), {
      abortSignal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
  };
}
