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
 * - `GET messages?topic=<arn>` → `{"messages": […]}`, the last of them
 * - `POST faults` (one fault or an array), `DELETE faults`
 */
export function createControl({ journal, faults }: { journal: Journal; faults: Faults }) {
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const asked = `${request.method} ${url.pathname.slice(CONTROL_PREFIX.length)}`;
    if (asked === "GET messages") {
      const topic = url.searchParams.get("topic");
      const shown = journal.messages.list().filter(({ topicArn }) => topicArn === (topic ?? topicArn));
      return sendJson(response, 200, { messages: shown.map(showMessage) });
    }
    if (asked === "DELETE faults") {
      faults.clear();
      return void response.writeHead(204).end();
    }
    if (asked !== "POST faults") return sendJson(response, 404, { error: `There is no ${asked} here.` });
    const read = faultsBody.safeParse(jsonIn((await readBody(request)) ?? ""), { error: ownWords });
    if (!read.success) return sendJson(response, 400, { error: problemsOf(read.error).join("; ") });
    for (const fault of read.data) faults.add(fault);
    sendJson(response, 201, { faults: read.data });
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

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
