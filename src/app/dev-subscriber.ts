import type { IncomingMessage } from "node:http";
import { listen } from "../kit/http-server.ts";
import { subscribeLocally } from "./dev-topic.ts";

/** A notification as it arrived. */
export interface ReceivedMessage {
  at: Date;
  messageId: string;
  topicArn: string;
  /** The event, as text. */
  message: string;
}

export interface LocalSubscriber {
  close(): Promise<void>;
}

export interface LocalSubscriberOptions {
  snsUrl: string;
  topicArns: readonly string[];
  onMessage: (message: ReceivedMessage) => void;
}

/**
 * A consumer as anybody would write one: an HTTP endpoint that confirms its subscriptions and takes
 * notifications. Resolves once every subscription is confirmed.
 */
export async function startLocalSubscriber(options: LocalSubscriberOptions): Promise<LocalSubscriber> {
  const { snsUrl, topicArns, onMessage } = options;
  const awaited = new Set(topicArns);
  const confirmed = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage) => {
    const letter = await readJson(request);
    if (letter.Type === "Notification") {
      const { MessageId: messageId = "", TopicArn: topicArn = "", Message: message = "" } = letter;
      onMessage({ at: new Date(), messageId, topicArn, message });
    } else if (letter.Type === "SubscriptionConfirmation" && letter.SubscribeURL?.startsWith(snsUrl)) {
      await fetch(letter.SubscribeURL);
      awaited.delete(letter.TopicArn ?? "");
      if (awaited.size === 0) confirmed.resolve();
    }
  };
  const server = await listen(
    (request, response) => {
      take(request).then(
        () => response.writeHead(200).end(),
        (error: unknown) => {
          confirmed.reject(error);
          response.writeHead(500).end();
        },
      );
    },
    { port: 0, host: "127.0.0.1", name: "local subscriber" },
  );
  try {
    for (const arn of topicArns) await subscribeLocally(snsUrl, arn, `${server.url}/events`);
    await confirmed.promise;
  } catch (error) {
    await server.close(0);
    throw error;
  }
  return { close: () => server.close(500) };
}

async function readJson(request: IncomingMessage): Promise<Record<string, string | undefined>> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}
