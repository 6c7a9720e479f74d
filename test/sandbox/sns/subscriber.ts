import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { onTestFinished, vi } from "vitest";

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
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const one = { headers: request.headers, body };
    received.push(one);
    response.writeHead(await answer(one)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const ofType = (type: string) => received.filter((one) => one.headers["x-amz-sns-message-type"] === type);
  const letters = (type: string) => ofType(type).map((one) => JSON.parse(one.body) as Record<string, string>);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
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
