import { randomUUID } from "node:crypto";
import { answerParent, nowMs } from "../harness/child.ts";
import { rawResponse, startRawServer } from "../harness/raw-http-server.ts";

// PublishBatch and Publish of the AWS Query protocol and nothing else. Every entry's Id is its event's id, and so
// is a single message's first attribute.
const acceptedAt = new Map<string, number>();
let waiting: (() => void)[] = [];

const NAMESPACE = 'xmlns="http://sns.amazonaws.com/doc/2010-03-31/"';

const element = (name: string, content: string) => `<${name}>${content}</${name}>`;

function accept(id = ""): string {
  if (!acceptedAt.has(id)) acceptedAt.set(id, nowMs());
  return element("MessageId", randomUUID());
}

function answerTo(body: string): string {
  const isBatch = body.includes("Action=PublishBatch");
  const result = isBatch
    ? Array.from(body.matchAll(/\.\d+\.Id=([0-9a-f-]{36})/g), ([, id = ""]) =>
        element("member", element("Id", id) + accept(id)),
      )
    : [accept(/Attributes\.entry\.1\.Value\.StringValue=([0-9a-f-]{36})/.exec(body)?.[1])];
  const action = isBatch ? "PublishBatch" : "Publish";
  const all = result.join("");
  const shown = element(
    `${action}Result`,
    isBatch ? element("Successful", all) + element("Failed", "") : all,
  );
  const about = element("ResponseMetadata", element("RequestId", randomUUID()));
  for (const look of waiting) look();
  return rawResponse("text/xml", `<${action}Response ${NAMESPACE}>${shown}${about}</${action}Response>`);
}

/** Resolves at the acceptance with which this is so. */
const when = (holds: () => boolean) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!holds()) return;
      waiting = waiting.filter((other) => other !== look);
      resolve();
    };
    waiting.push(look);
    look();
  });

const calls = {
  start: () => startRawServer((_head, body, answer) => answer(answerTo(body))),
  /** Forgets all acceptances. */
  reset: () => acceptedAt.clear(),
  /** How many distinct events were accepted. */
  count: () => acceptedAt.size,
  /** The time at which so many distinct events had been accepted, once they have. */
  whenAccepted: async (count: number) => {
    await when(() => acceptedAt.size >= count);
    return nowMs();
  },
  /** When each of these events was first accepted, once all of them have been. */
  timesOf: async (ids: string[]) => {
    let seen = 0;
    await when(() => {
      while (seen < ids.length && acceptedAt.has(ids[seen] ?? "")) seen += 1;
      return seen === ids.length;
    });
    return ids.map((id) => acceptedAt.get(id) ?? 0);
  },
};

export type SnsCalls = typeof calls;
answerParent(calls);
