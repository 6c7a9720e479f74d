import { RelayError } from "../kit/errors.ts";

/**
 * Makes a topic at a local SNS, or finds the one that is there. SNS' protocol is plain form posts: no SDK is
 * needed.
 * @returns its ARN. @throws RelayError when SNS refuses the name.
 */
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

/** Subscribes an HTTP endpoint, which is then asked to confirm. */
export async function subscribeLocally(snsUrl: string, topicArn: string, endpoint: string): Promise<void> {
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
