import { setTimeout as pause } from "node:timers/promises";
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { queueEvent } from "../../test/runtime/lambda/payloads.ts";
import type { RunningFunction } from "./functions.ts";

/** Wakes a function by the messages of its queue, as Lambda's event source mapping would; moto has none. */
export function mapQueue(QueueUrl: string | undefined, woken: RunningFunction) {
  const sqs = new SQSClient();
  let stopped = false;
  let wakeUps = 0;

  /** Takes up to ten messages out of the queue, once the work is done. @returns how many */
  async function take(work: (messages: Message[]) => Promise<unknown>): Promise<number> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length > 0) await work(Messages);
    for (const { ReceiptHandle } of Messages)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Messages.length;
  }

  const run = async () => {
    while (!stopped) {
      const taken = await take((messages) => woken.invoke(queueEvent(messages.map(({ Body = "" }) => Body))));
      wakeUps += taken;
      if (taken === 0) await pause(100);
    }
  };
  const running = run();
  // Told by `stop`.
  running.catch(() => undefined);
  return {
    wakeUps: () => wakeUps,
    /** @throws what an invocation failed with */
    async stop() {
      stopped = true;
      await running;
    },
    /** Loses every wake-up that waits. */
    async lose() {
      while ((await take(async () => undefined)) > 0);
    },
  };
}
