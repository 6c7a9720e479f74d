import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { answerParent } from "../harness/answer-parent.ts";
import { nowMs } from "../harness/clock.ts";
import { rawResponse, startRawServer } from "../harness/raw-http-server.ts";

// PublishBatch and Publish of the AWS Query protocol and nothing else. Every entry's Id is its event's id,
// and so is a single message's first attribute.
const acceptedAt = new Map<string, number>();
const failing = new Set<string>();
let acceptances = 0;
let failFirstOf = 0;
let target = { count: Number.POSITIVE_INFINITY, reached: (_at: number) => {} };

const NAMESPACE = 'xmlns="http://sns.amazonaws.com/doc/2010-03-31/"';

const element = (name: string, content: string) => `<${name}>${content}</${name}>`;
const TRY_AGAIN = element("Code", "InternalError") + element("Message", "try again");

function answerTo(action: string, result: string): string {
  const about = element("ResponseMetadata", element("RequestId", randomUUID()));
  const body = element(`${action}Result`, result) + about;
  return rawResponse("text/xml", `<${action}Response ${NAMESPACE}>${body}</${action}Response>`);
}

function accept(id: string, now: number): void {
  acceptances += 1;
  if (!acceptedAt.has(id)) acceptedAt.set(id, now);
}

function tellTarget(now: number): void {
  if (acceptedAt.size >= target.count) target.reached(now);
}

function publish(body: string): string {
  const now = nowMs();
  const [, id = ""] = /Attributes\.entry\.1\.Value\.StringValue=([0-9a-f-]{36})/.exec(body) ?? [];
  if (failsNow(id))
    return rawResponse(
      "text/xml",
      `<ErrorResponse ${NAMESPACE}>${element("Error", TRY_AGAIN)}</ErrorResponse>`,
      "500 Internal Server Error",
    );
  accept(id, now);
  tellTarget(now);
  return answerTo("Publish", element("MessageId", randomUUID()));
}

function publishBatch(body: string): string {
  const now = nowMs();
  let successful = "";
  let failed = "";
  for (const [, id = ""] of body.matchAll(/\.\d+\.Id=([0-9a-f-]{36})/g)) {
    if (failsNow(id)) {
      failed += element("member", element("Id", id) + TRY_AGAIN + element("SenderFault", "false"));
      continue;
    }
    accept(id, now);
    successful += element("member", element("Id", id) + element("MessageId", randomUUID()));
  }
  tellTarget(now);
  return answerTo("PublishBatch", element("Successful", successful) + element("Failed", failed));
}

/**
 * One id in `failFirstOf` is refused the first time, so that a test sees each entry's own outcome honoured.
 */
function failsNow(id: string): boolean {
  if (failFirstOf === 0 || Number.parseInt(id.slice(0, 8), 16) % failFirstOf !== 0 || failing.has(id))
    return false;
  failing.add(id);
  return true;
}

const calls = {
  start: () =>
    startRawServer((_head, body, answer) =>
      answer(body.includes("Action=PublishBatch") ? publishBatch(body) : publish(body)),
    ),
  /** Forgets what was accepted. One event in `failFirst` fails the first time it comes; 0 for none. */
  reset: (options: { failFirst: number }) => {
    acceptedAt.clear();
    failing.clear();
    acceptances = 0;
    failFirstOf = options.failFirst;
  },
  /** Resolves with the time at which so many distinct events had been accepted. */
  whenAccepted: (count: number) =>
    new Promise<number>((reached) => {
      if (acceptedAt.size >= count) reached(nowMs());
      else target = { count, reached };
    }),
  counts: () => ({ events: acceptedAt.size, acceptances }),
  /** When each of these events was first accepted, once all of them have been, whatever else comes in. */
  timesOf: async (ids: string[]) => {
    while (!ids.every((id) => acceptedAt.has(id))) await delay(20);
    return ids.map((id) => acceptedAt.get(id) ?? 0);
  },
};

export type SnsCalls = typeof calls;
answerParent(calls);
