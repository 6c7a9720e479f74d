import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { sql } from "kysely";
import serverlessHttp from "serverless-http";
import { callbackReceiver } from "../app/callback-receiver.ts";
import { httpApp } from "../app/http-app.ts";
import { protectAnswers } from "../app/protect-answers.ts";
import { within } from "../kit/within.ts";
import { openRelay } from "./open-relay.ts";
import { perContainer } from "./per-container.ts";
import { WakeQueue } from "./wake-queue.ts";

/** The response when a callback could not be committed. */
const UNRECORDED = 503;

/** The response leaves this long, in ms, before the invocation's time is up. */
const ANSWER_BEFORE_MS = 2_000;

const open = perContainer(async () => {
  // A container handles one request at a time, so it needs only one connection.
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
    // The sweep runs every minute, by its schedule.
    onNothingNamed: () => undefined,
    hasReadingThread: false,
  });
  const app = serverlessHttp(httpApp([protectAnswers({ behindTls: true }), ...receiver.routers], relay.log), {
    // The adapter sets only the headers, and the length as a number.
    request: (request: { headers: Record<string, unknown>; rawHeaders: string[] }) => {
      request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [name, String(value)]);
    },
  });
  return { relay, wake, receiver, app };
});

/**
 * The callback URL, behind an HTTP API (payload format 2.0): the same Express app as `serve`. Records and
 * responds; the wake-up is sent before the response, because the container may be frozen after it. If it is
 * killed, nothing is lost: what got a 2xx is committed, and the schedule confirms it.
 */
export async function handler(
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { relay, wake, receiver, app } = await open();
  await relay.awaken();
  const answer = (await app(event, context)) as APIGatewayProxyStructuredResultV2;
  // The gateway waits for what follows too: it gets what is left of the invocation.
  const recorded = answer.statusCode !== UNRECORDED;
  const finished = Promise.all([
    wake.flush(),
    relay.tracing?.flush(),
    tellWhetherAway(relay, recorded),
    receiver.shareBudgets(),
  ]);
  await within(finished, context.getRemainingTimeInMillis() - ANSWER_BEFORE_MS, null);
  return answer;
}

/** Raises or ends the alarm that Postgres is away. */
const tellWhetherAway = ({ databaseAway, db }: Awaited<ReturnType<typeof openRelay>>, recorded: boolean) =>
  (recorded
    ? databaseAway.answeredPerhaps(() => sql`select 1`.execute(db))
    : databaseAway.failed(new Error("callbacks cannot be recorded"))
  ).catch(() => undefined);
