import { z } from "zod";
import { RelayError } from "../../kit/errors.ts";
import { planReplay } from "../../replay/plan-replay.ts";
import type { ReplayTarget } from "../../replay/replay.ts";
import { findReplay, listRefusals, listReplays } from "../../replay/replay-rows.ts";
import { cancelReplay, resumeReplay, startReplay } from "../../replay/start-replay.ts";
import {
  answeredId,
  collection,
  dryRun,
  id,
  limitInQuery,
  name,
  reason,
  SOME_ID,
  source,
  time,
  timeGiven,
  verdict,
  whole,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Replay");
const topicArn = z.string().regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/, {
  error: "should be a topic's ARN",
});
const kind = z.enum(["confirmations", "callbacks", "events"]);

const filters = z.strictObject({
  from: timeGiven.optional(),
  to: timeGiven.optional().describe("Now by default."),
  invoiceIds: z.array(id).min(1).max(1_000).optional(),
  collection,
  verdict: verdict.optional(),
  source,
  eventType: name().optional().describe("Only for events."),
  callbackIds: z.array(id).min(1).max(1_000).optional().describe("Only for callbacks: just these."),
  refused: z.boolean().optional().describe("Only for callbacks: include refused ones."),
});
const topicTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("topics") }),
  z.strictObject({ kind: z.literal("other_topic"), topicArn }),
]);

export const replayRequest = z.strictObject({
  kind,
  filters: filters.default({}),
  target: topicTarget
    .default({ kind: "topics" })
    .describe(
      "Where events go. Another topic must be in REPLAY_TOPIC_ARNS; only the command line writes files.",
    ),
  rate: whole.min(1).max(100_000).optional().describe("The most per second."),
  reason,
  dryRun: dryRun.describe("Only says what it would do: one of a kind at a time, ten minutes at most."),
});

/** As they are kept. */
const what = {
  kind,
  filters: z.object({
    from: z.string().optional(),
    to: z.string().optional(),
    invoiceIds: z.array(answeredId).optional(),
    collection: z.string().optional(),
    verdict: z.string().optional(),
    source: z.string().optional(),
    eventType: z.string().optional(),
    callbackIds: z.array(answeredId).optional(),
    refused: z.boolean().optional(),
  }),
  target: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("topics") }),
    z.object({ kind: z.literal("other_topic"), topicArn: z.string() }),
    z.object({ kind: z.literal("file"), path: z.string() }),
  ]),
  matching: whole,
};

const replay = z.object({
  id: answeredId,
  state: z.enum(["running", "done", "failed", "cancelled"]),
  ...what,
  rate: whole,
  requestedBy: z.string(),
  requestedAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  handled: whole,
  opened: whole,
  sent: whole,
  refused: whole,
  underWay: z.boolean(),
  waitsFor: z.string().nullable(),
  lastError: z.string().nullable(),
});

const plan = z.object({
  ...what,
  withNewIds: whole.nullable(),
  first: z.array(
    z.object({
      invoiceIds: z.array(answeredId),
      eventId: answeredId.nullable(),
      callbackId: answeredId.nullable(),
      source: z.string(),
      at: time,
      about: z.string(),
    }),
  ),
});

export const replayStarted = z.object({
  replay: replay.nullable().describe("null for a dry run or when nothing matches."),
  plan: plan.nullable().describe("Of a dry run."),
});

/** @throws RelayError for a topic that is not among those to which the admin API may replay. */
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
    pathParameters: replayInPath,
    body: z.strictObject({ reason }),
    example: { path: { id: SOME_ID }, body: { reason: "the topic is back" } },
    result: replay,
    async run({ db, actor, replayTopicArns }, { path: { id }, body: { reason } }) {
      const found = await findReplay({ db, id });
      if (found === null) return null;
      refuse(found.target, replayTopicArns);
      return await change({ db, actor, id, reason });
    },
  });

const replayInPath = z.object({ id: id.describe("the replay's id") });

export const replayOperations = [
  get("listReplays", "/replays", {
    summary: "List replays, the newest first",
    query: limitInQuery,
    example: { query: { limit: 10 } },
    result: z.object({ replays: z.array(replay) }),
    run: async ({ db }, { query }) => ({ replays: await listReplays({ db, limit: query.limit }) }),
  }),
  post("startReplay", "/replays", {
    summary: "Repeat confirmations, callbacks or events; a running serve does it. Try dryRun first",
    body: replayRequest,
    example: { body: { kind: "events", filters: { collection: "School fees" }, dryRun: true } },
    result: replayStarted,
    async run(
      { db, actor, routes, readAgain, replayTopicArns, boundDryRun, left },
      { body: { dryRun, rate, reason, ...request } },
    ) {
      refuseForeign(request.target, replayTopicArns);
      if (dryRun) {
        const plan = await boundDryRun(request.kind, left, (signal) =>
          planReplay({ db, routes, readAgain, ...request, signal }),
        );
        return { replay: null, plan };
      }
      return { replay: await startReplay({ db, actor, routes, rate, reason, ...request }), plan: null };
    },
  }),
  get("showReplay", "/replays/{id}", {
    summary: "Show one replay: its progress, and the events that SNS refused",
    pathParameters: replayInPath,
    example: { path: { id: SOME_ID } },
    result: z.object({
      replay,
      refusals: z.array(
        z.object({
          eventId: answeredId,
          source: z.string(),
          invoiceId: answeredId.nullable(),
          error: z.string(),
        }),
      ),
    }),
    async run({ db }, { path: { id } }) {
      const replay = await findReplay({ db, id });
      return replay === null ? null : { replay, refusals: await listRefusals({ db, id }) };
    },
  }),
  changeOperation(
    cancelReplay,
    () => undefined,
    "cancelReplay",
    "/replays/{id}/cancel",
    "Cancel a replay; what it has done is not undone",
  ),
  changeOperation(
    resumeReplay,
    refuseForeign,
    "resumeReplay",
    "/replays/{id}/resume",
    "Resume a replay where it stopped; a running serve does it",
  ),
] as const;
