import { faultOf } from "../../kit/fault.ts";
import type { Logger } from "../../kit/log.ts";

/** The timeout for SQS, in ms: a wake-up must not delay the response. */
const SEND_TIMEOUT_MS = 1_000;

/** Wake-ups are left out for so long after one that SQS did not take: else each callback would wait for the next. */
const REST_MS = 10_000;

/**
 * Wakes a function through an SQS queue; without one its schedule does. Requests during a send share a message;
 * the schedule catches a lost one.
 */
export function wakeQueue(queueUrl: string | undefined, log: Logger, restMs = REST_MS) {
  if (queueUrl === undefined) return { wake: () => undefined, flush: async () => undefined };
  let send: Promise<() => Promise<unknown>> | null = null;
  let isAsked = false;
  let sending: Promise<void> | null = null;
  /** By `Date.now()`, which goes on while a container is frozen. */
  let restsUntil = 0;
  const sendAll = async () => {
    try {
      while (isAsked) {
        isAsked = false;
        send ??= createSend(queueUrl);
        await (await send)();
      }
    } catch (error) {
      send = null;
      restsUntil = Date.now() + restMs;
      log.warn(faultOf(error), "a wake-up could not be sent; the schedule will pick up the work");
    } finally {
      sending = null;
    }
  };
  return {
    wake() {
      if (Date.now() < restsUntil) return;
      isAsked = true;
      sending ??= sendAll();
    },
    /** Resolves once all requested wake-ups are sent or have failed. Await it before the container may be frozen. */
    flush: async () => await sending,
  };
}

// Loaded on first use: it would double the time until the first callback is recorded.
async function createSend(queueUrl: string): Promise<() => Promise<unknown>> {
  const { SendMessageCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const client = new SQSClient({ maxAttempts: 2 });
  return () =>
    client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "wake up" }), {
      abortSignal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
}
