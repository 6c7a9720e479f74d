import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { RelayError } from "../platform/errors/index.ts";
import { listen } from "../platform/http/index.ts";

export interface ReceivedMessage {
  at: Date;
  messageId: string;
  message: string;
}

/** A consumer as anybody would write one. Resolves once every subscription is confirmed. */
export async function startLocalSubscriber(
  snsUrl: string,
  topicArns: readonly string[],
  onMessage: (message: ReceivedMessage) => void,
) {
  const awaited = new Set(topicArns);
  const confirmed = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage) => {
    const letter = (await json(request)) as Record<string, string | undefined>;
    if (letter.Type === "Notification") {
      const { MessageId: messageId = "", Message: message = "" } = letter;
      onMessage({ at: new Date(), messageId, message });
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

/** Plain form posts: no SDK is needed. @returns the ARN. @throws RelayError when SNS refuses the name. */
export async function createLocalTopic(snsUrl: string, name: string): Promise<string> {
  const fields: Record<string, string> = {
    Action: "CreateTopic",
    Name: name,
    // SHA-256: consumers refuse SHA-1.
    "Attributes.entry.1.key": "SignatureVersion",
    "Attributes.entry.1.value": "2",
  };
  if (name.endsWith(".fifo"))
    Object.assign(fields, { "Attributes.entry.2.key": "FifoTopic", "Attributes.entry.2.value": "true" });
  const answer = await ask(snsUrl, fields);
  return textIn(answer, "TopicArn");
}

async function subscribeLocally(snsUrl: string, topicArn: string, endpoint: string): Promise<void> {
  await ask(snsUrl, { Action: "Subscribe", TopicArn: topicArn, Protocol: "http", Endpoint: endpoint });
}

async function ask(snsUrl: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(snsUrl, {
    method: "POST",
    // It wants to know who calls, and believes anyone.
    headers: { authorization: "AWS4-HMAC-SHA256 Credential=local" },
    body: new URLSearchParams({ ...fields, Version: "2010-03-31" }),
  });
  const xml = await answer.text();
  if (answer.ok) return xml;
  throw new RelayError(`The local SNS refused ${fields.Action}: ${textIn(xml, "Message")}`);
}

const textIn = (xml: string, element: string): string =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? "";
