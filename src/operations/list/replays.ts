import { z } from "zod";
import {
  cancelReplay,
  findReplay,
  listRefusals,
  listReplays,
  planReplay,
  type ReplayTarget,
  replay,
  replayed,
  replayRefusal,
  resumeReplay,
  startReplay,
} from "../../pipeline/replay/index.ts";
import { RelayError } from "../../platform/errors/index.ts";
import { REPLAY, REPLAY_SHOWN, REPLAYS } from "../views/replays.ts";
import { listOf } from "../views/view.ts";
import {
  collection,
  dryRun,
  idGiven,
  limitInQuery,
  reason,
  source,
  timeGiven,
  verdict,
  whole,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { replayStarted } from "./results.ts";

const { get, post } = operationsAbout("Replay");
const topicArn = z.string().regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/, {
  error: "should be a topic's ARN",
});

const filters = z.strictObject({
  from: timeGiven.optional(),
  to: timeGiven.optional().describe("Now by default."),
  invoiceIds: z.array(idGiven).min(1).max(1_000).optional(),
  collection,
  verdict: verdict.optional(),
  source,
  callbackIds: z.array(idGiven).min(1).max(1_000).optional().describe("Only for callbacks: just these."),
  refused: z.boolean().optional().describe("Only for callbacks: include refused ones."),
});
const topicTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("topics") }),
  z.strictObject({ kind: z.literal("other_topic"), topicArn }),
]);

const replayRequest = z.strictObject({
  kind: replayed.kind,
  filters: filters.default({}),
  target: topicTarget
    .default({ kind: "topics" })
    .describe("Where events go. Another topic must be in REPLAY_TOPIC_ARNS."),
  rate: whole.min(1).max(100_000).optional().describe("The most per second."),
  reason,
  dryRun: dryRun.describe("only show how many there are"),
});

function refuseForeign(target: ReplayTarget, replayTopicArns: readonly string[]): void {
  if (target.kind !== "other_topic" || replayTopicArns.includes(target.topicArn)) return;
  throw new RelayError(
    `${target.topicArn} is not in REPLAY_TOPIC_ARNS. Add it there, or choose one of them.`,
  );
}

const changeOperation = <const Id extends string, const Path extends string>(
  change: typeof cancelReplay,
  refuse: typeof refuseForeign,
  id: Id,
  path: Path,
  summary: string,
) =>
  post(id, path, {
    summary,
    view: REPLAY,
    pathParameters: replayInPath,
    body: z.strictObject({ reason }),
    example: { body: { reason: "the topic is back" } },
    result: replay,
    async run({ db, actor, replayTopicArns }, { path: { id }, body: { reason } }) {
      const found = await findReplay({ db, id });
      if (found === null) return null;
      refuse(found.target, replayTopicArns);
      return await change({ db, actor, id, reason });
    },
  });

const replayInPath = z.object({ id: idGiven.describe("the replay's id") });

export const replayOperations = [
  get("listReplays", "/replays", {
    summary: "List replays, the newest first",
    query: limitInQuery,
    example: { query: { limit: 10 } },
    result: z.object({ replays: z.array(replay) }),
    view: { lists: [listOf("replays", REPLAYS)] },
    run: async ({ db }, { query }) => ({ replays: await listReplays({ db, limit: query.limit }) }),
  }),
  post("startReplay", "/replays", {
    summary: "Repeat confirmations, callbacks or events; a running serve does it. Try dryRun first",
    body: replayRequest,
    example: { body: { kind: "events", filters: { collection: "School fees" }, dryRun: true } },
    result: replayStarted,
    async run(context, { body: { dryRun, rate, reason, ...request } }) {
      const { db, actor, replayTopicArns } = context;
      const routes = request.kind === "events" ? context.routes : [];
      refuseForeign(request.target, replayTopicArns);
      if (dryRun) return { replay: null, plan: await planReplay({ db, routes, ...request }) };
      return { replay: await startReplay({ db, actor, routes, rate, reason, ...request }), plan: null };
    },
  }),
  get("showReplay", "/replays/{id}", {
    summary: "Show one replay: its progress, and the events that SNS refused",
    pathParameters: replayInPath,
    result: z.object({
      replay,
      refusals: z.array(replayRefusal),
    }),
    view: REPLAY_SHOWN,
    async run({ db }, { path: { id } }) {
      const replay = await findReplay({ db, id });
      return replay === null ? null : { replay, refusals: await listRefusals(db, id) };
    },
  }),
  changeOperation(
    cancelReplay,
    () => undefined,
    "cancelReplay",
    "/replays/{id}/cancel",
    "Cancel a replay; its finished part is not undone",
  ),
  changeOperation(
    resumeReplay,
    refuseForeign,
    "resumeReplay",
    "/replays/{id}/resume",
    "Resume a replay where it stopped; a running serve does it",
  ),
] as const;
