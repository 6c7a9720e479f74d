import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { ownWords, problemsOf } from "../../collection-api/contract/index.ts";
import { jsonIn } from "../../kit/json.ts";
import { type Faults, faultSchema } from "./faults.ts";
import { type Journal, showMessage } from "./journal.ts";

/** Where the control routes live: no path of the SNS protocol begins so. */
export const CONTROL_PREFIX = "/_control/";

const faultsBody = z.union([z.array(faultSchema), faultSchema.transform((fault) => [fault])]);

/**
 * The routes for looking at what happened and for making things go wrong; they need no credentials.
 * - `GET messages?topic=<arn>&last=<n>` → `{"messages": […], "forgotten": n}`; `DELETE messages`
 * - `GET deliveries?topic=<arn>` → `{"deliveries": […], "forgotten": n}`; `DELETE deliveries`
 * - `GET faults`, `POST faults` (one fault or an array), `DELETE faults`
 */
export function createControl({ journal, faults }: { journal: Journal; faults: Faults }) {
  const { messages, deliveries } = journal;
  const kept = { messages, deliveries, faults };
  const isKept = (name: string): name is keyof typeof kept => Object.hasOwn(kept, name);

  function show(name: keyof typeof kept, query: URLSearchParams) {
    const wanted = query.get("topic");
    const ofTopic = <T extends { topicArn: string }>(all: T[]) =>
      wanted === null ? all : all.filter(({ topicArn }) => topicArn === wanted);
    if (name === "faults") return { faults: faults.list() };
    if (name === "deliveries")
      return { deliveries: ofTopic(deliveries.list()), forgotten: deliveries.forgotten };
    const shown = ofTopic(messages.list()).slice(-lastOf(query)).map(showMessage);
    return { messages: shown, forgotten: messages.forgotten };
  }

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const name = url.pathname.slice(CONTROL_PREFIX.length);
    if (request.method === "GET" && isKept(name))
      return sendJson(response, 200, show(name, url.searchParams));
    if (request.method === "DELETE" && isKept(name)) {
      kept[name].clear();
      return void response.writeHead(204).end();
    }
    if (request.method !== "POST" || name !== "faults")
      return sendJson(response, 404, { error: `There is no ${request.method} ${url.pathname}.` });
    const read = faultsBody.safeParse(jsonIn((await readBody(request)) ?? ""), { error: ownWords });
    if (!read.success) return sendJson(response, 400, { error: problemsOf(read.error).join("; ") });
    for (const fault of read.data) faults.add(fault);
    sendJson(response, 201, { faults: faults.list() });
  };
}

export type Control = ReturnType<typeof createControl>;

/** The largest batch that SNS takes, with every byte escaped in the form, stays far below. */
const BODY_LIMIT = 4 * 1_048_576;

/** The body of a request as text; undefined when it is larger than any request to SNS may be. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_LIMIT) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > BODY_LIMIT ? undefined : Buffer.concat(chunks).toString();
}

/** How many of the newest are asked for; all when nobody says so. */
function lastOf(query: URLSearchParams): number {
  const last = Number(query.get("last") ?? Number.NaN);
  return Number.isInteger(last) && last > 0 ? last : Number.POSITIVE_INFINITY;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
