import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import serverlessHttp from "serverless-http";
import { within } from "../../platform/process/index.ts";
import { callbackReceiver, httpApp, keysRoute, protectAnswers } from "../http-app.ts";
import { logFaults, openContainer, perContainer } from "./container.ts";

/** The response leaves this long, in ms, before the invocation's time is up. */
const ANSWER_BEFORE_MS = 2_000;

const open = perContainer(async () => {
  // A container handles one request at a time, so it needs only one connection.
  const { parts, ...container } = await openContainer(1, "hot");
  const router = callbackReceiver(parts, { handoff: null });
  const app = serverlessHttp(
    httpApp([protectAnswers({ behindTls: true }), router, keysRoute(parts.db)], parts.log),
    {
      // The adapter sets only the headers, and the length as a number.
      request: (request: { headers: Record<string, unknown>; rawHeaders: string[] }) => {
        request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [
          name,
          String(value),
        ]);
      },
    },
  );
  return { ...container, database: parts.database, app };
});

/**
 * The callback URL, behind an HTTP API (payload format 2.0): the same Express app as `serve`. Records and
 * responds; the wake-up is sent before the response, because the container may be frozen after it. If it is
 * killed, nothing is lost: what got a 2xx is committed, and the schedule confirms it.
 */
export const handler = logFaults(async (event: APIGatewayProxyEventV2, invocation) => {
  const { awaken, flush, database, app } = await open();
  await awaken();
  const answer = (await app(event, invocation as Context)) as APIGatewayProxyStructuredResultV2;
  // The gateway waits for what follows too: it gets what is left of the invocation.
  const finished = Promise.all([flush(), database.checkIfTroubled()]);
  await within(finished, invocation.getRemainingTimeInMillis() - ANSWER_BEFORE_MS, null);
  return answer;
});
