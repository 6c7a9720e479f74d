import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { ownWords, problemsOf } from "../../collection-api/contract/index.ts";
import { type Faults, faultSchema } from "./faults.ts";
import { type Journal, shownMessages } from "./journal.ts";
import { readBody } from "./read-body.ts";

/** Where the control routes live: no path of the SNS protocol begins so. */
export const CONTROL_PREFIX = "/_control/";

/** So many items are written at once: few enough to let requests of the protocol in between. */
const ITEMS_A_CHUNK = 200;

/**
 * The routes for looking at what happened and for making things go wrong; they need no credentials.
 * - `GET messages?topic=<arn>&last=<n>` → `{"messages": […], "forgotten": n}`, `DELETE messages` forgets them
 * all
 * - `GET deliveries?topic=<arn>` → `{"deliveries": […], "forgotten": n}`, `DELETE deliveries`
 * - `GET faults`, `POST faults` (one fault or an array), `DELETE faults`
 */
export function createControl({ journal, faults }: { journal: Journal; faults: Faults }) {
  const faultsBody = z.union([z.array(faultSchema), faultSchema.transform((fault) => [fault])]);

  async function postFaults(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = faultsBody.safeParse(parseJson((await readBody(request)) ?? ""), {
      error: ownWords,
    });
    if (!read.success) {
      sendJson(response, 400, { error: problemsOf(read.error).join("; ") });
      return;
    }
    for (const fault of read.data) faults.add(fault);
    sendJson(response, 201, { faults: faults.list() });
  }

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const topicArn = url.searchParams.get("topic") ?? undefined;
    switch (`${request.method} ${url.pathname.slice(CONTROL_PREFIX.length)}`) {
      case "GET messages":
        await sendList(
          response,
          "messages",
          shownMessages(journal, topicArn, lastOf(url)),
          journal.messages.forgotten(),
        );
        return;
      case "GET deliveries": {
        const all = journal.deliveries.list();
        const shown = all.filter(({ topicArn: of }) => topicArn === undefined || of === topicArn);
        await sendList(response, "deliveries", shown, journal.deliveries.forgotten());
        return;
      }
      case "DELETE messages":
        journal.messages.clear();
        response.writeHead(204).end();
        return;
      case "DELETE deliveries":
        journal.deliveries.clear();
        response.writeHead(204).end();
        return;
      case "GET faults":
        sendJson(response, 200, { faults: faults.list() });
        return;
      case "POST faults":
        await postFaults(request, response);
        return;
      case "DELETE faults":
        faults.clear();
        response.writeHead(204).end();
        return;
      default:
        sendJson(response, 404, { error: `There is no ${request.method} ${url.pathname}.` });
    }
  };
}

export type Control = ReturnType<typeof createControl>;

/** How many of the newest are asked for; all when nobody says so. */
function lastOf(url: URL): number | undefined {
  const last = Number(url.searchParams.get("last") ?? Number.NaN);
  return Number.isInteger(last) && last > 0 ? last : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Streams the list, since all that is kept would make one very large text. */
async function sendList(
  response: ServerResponse,
  name: string,
  items: Iterable<unknown>,
  forgotten: number,
): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  await pipeline(Readable.from(listChunks(name, items, forgotten)), response);
}

function* listChunks(name: string, items: Iterable<unknown>, forgotten: number): Generator<string> {
  let chunk = `{${JSON.stringify(name)}:[`;
  let separator = "";
  let inChunk = 0;
  for (const item of items) {
    chunk += separator + JSON.stringify(item);
    separator = ",\n";
    inChunk += 1;
    if (inChunk === ITEMS_A_CHUNK) {
      yield chunk;
      chunk = "";
      inChunk = 0;
    }
  }
  yield `${chunk}],"forgotten":${forgotten}}`;
}
