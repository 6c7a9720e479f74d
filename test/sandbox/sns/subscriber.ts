import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { type SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { onTestFinished, vi } from "vitest";
import { startServer } from "../../support/own-server.ts";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export type Subscriber = Awaited<ReturnType<typeof startSubscriber>>;

/**
 * A real HTTP endpoint that keeps what it gets.
 * @param answer the status for each request; 200 when left out
 */
export async function startSubscriber(answer: (received: Received) => number | Promise<number> = () => 200) {
  const received: Received[] = [];
  const server = await startServer(async (request, response) => {
    const one = { headers: request.headers, body: await text(request) };
    received.push(one);
    response.writeHead(await answer(one)).end();
  });
  onTestFinished(server.close);
  const ofType = (type: string) => received.filter((one) => one.headers["x-amz-sns-message-type"] === type);
  const letters = (type: string) => ofType(type).map((one) => JSON.parse(one.body) as Record<string, string>);
  return {
    url: `${server.url}/events`,
    received,
    /** The envelopes of this type, in the order they came. */
    letters,
    /** The messages of all notifications, in the order they came. */
    messages: () => letters("Notification").map((letter) => letter.Message),
  };
}

/**
 * Subscribes and confirms as an endpoint does: by opening the SubscribeURL it was sent. Gives the
 * subscription's ARN.
 */
export async function subscribe(
  client: SNSClient,
  topicArn: string,
  subscriber: Subscriber,
  attributes: Record<string, string> = {},
): Promise<string> {
  const before = subscriber.letters("SubscriptionConfirmation").length;
  const { SubscriptionArn } = await client.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: "http",
      Endpoint: subscriber.url,
      ReturnSubscriptionArn: true,
      Attributes: attributes,
    }),
  );
  const letter = await vi.waitFor(() => {
    const found = subscriber.letters("SubscriptionConfirmation")[before];
    if (found === undefined) throw new Error("no SubscriptionConfirmation yet");
    return found;
  });
  await fetch(letter.SubscribeURL ?? "");
  return SubscriptionArn ?? "";
}
