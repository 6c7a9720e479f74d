import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import serverlessHttp from "serverless-http";
import { callbackReceiver } from "../app/callback-receiver.ts";
import { httpApp } from "../app/http-app.ts";
import { protectAnswers } from "../app/protect-answers.ts";
import { openRelay } from "./open-relay.ts";
import { perContainer } from "./per-container.ts";
import { WakeQueue } from "./wake-queue.ts";

/** What a callback is answered that could not be committed. */
const UNRECORDED = 503;

const open = perContainer(async () => {
  // One container takes one request at a time: one connection is all it can use.
  const relay = await openRelay(1, "hot");
  const wake = new WakeQueue({ queueUrl: relay.queueUrls.confirm, log: relay.log });
  const receiver = callbackReceiver({
    settings: relay.settings,
    sources: relay.sources,
    recording: relay.db,
    working: relay.db,
    alarms: relay.alarms,
    logger: relay.log,
    metrics: relay.metrics,
    tracer: relay.tracing?.tracer ?? null,
    onConfirmations: () => wake.wake(),
    handoff: null,
    // The sweep comes every minute by its schedule.
    onNothingNamed: () => undefined,
  });
  const app = serverlessHttp(httpApp([protectAnswers({ behindTls: true }), ...receiver.routers], relay.log), {
    // The adapter fills headers only, and a length of its own as a number.
    request: (request: { headers: Record<string, unknown>; rawHeaders: string[] }) => {
      request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [name, String(value)]);
    },
  });
  return { relay, wake, receiver, app };
});

/**
 * The callback's URL, behind an HTTP API (payload format 2.0): the same Express app as `serve`. Records and
 * answers; the wake-up is on its way before the answer leaves, because the container may freeze then. Killed
 * at any moment, it loses nothing: what was answered 2xx is committed, and the schedule confirms it.
 */
export async function handler(
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { relay, wake, receiver, app } = await open();
  await relay.awaken();
  const answer = (await app(event, context)) as APIGatewayProxyStructuredResultV2;
  // It has answered; what it says of Postgres is only for people.
  await (answer.statusCode === UNRECORDED
    ? relay.databaseAway.failed(new Error("callbacks cannot be recorded"))
    : relay.databaseAway.answered()
  ).catch(() => undefined);
  await Promise.all([wake.flush(), relay.tracing?.flush()]);
  await receiver.shareBudgets();
  return answer;
}
