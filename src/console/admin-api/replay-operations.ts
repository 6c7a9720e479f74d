import { RelayError } from "../../kit/errors.ts";
import { cancelReplay, resumeReplay } from "../../replay/cancel-or-resume.ts";
import { planReplay } from "../../replay/plan-replay.ts";
import { findReplay, listRefusals, listReplays } from "../../replay/replay-rows.ts";
import { startReplay } from "../../replay/start-replay.ts";
import { limitInQuery } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";
import * as schemas from "./schemas.ts";

const TAG = "Replay";

export const replayOperations: readonly Operation[] = [
  operation({
    id: "listReplays",
    method: "get",
    path: "/replays",
    tag: TAG,
    summary: "List replays, the newest first",
    query: limitInQuery,
    result: schemas.replayList,
    run: async ({ db }, { query }) => ({ replays: await listReplays({ db, limit: query.limit }) }),
  }),
  operation({
    id: "startReplay",
    method: "post",
    path: "/replays",
    tag: TAG,
    summary: "Ask again, read again or publish again; a running serve carries it out. Try dryRun first",
    body: schemas.replayRequest,
    result: schemas.replayStarted,
    async run(
      { db, actor, routes, readAgain, replayTopicArns },
      { body: { dryRun, rate, reason, ...request } },
    ) {
      const { target } = request;
      if (target.kind === "other_topic" && !replayTopicArns.includes(target.topicArn))
        throw new RelayError(
          `${target.topicArn} is none of REPLAY_TOPIC_ARNS. Add it there, or choose one.`,
          {
            next: "refuse",
          },
        );
      if (dryRun) return { replay: null, plan: await planReplay({ db, routes, readAgain, ...request }) };
      return { replay: await startReplay({ db, actor, routes, rate, reason, ...request }), plan: null };
    },
  }),
  operation({
    id: "showReplay",
    method: "get",
    path: "/replays/{id}",
    tag: TAG,
    summary: "How far it is, and the events that SNS refused",
    pathParameters: schemas.idInPath,
    result: schemas.replayShown,
    async run({ db }, { path: { id } }) {
      const replay = await findReplay({ db, id });
      return replay === null ? null : { replay, refusals: await listRefusals({ db, id }) };
    },
  }),
  ...(
    [
      ["cancel", cancelReplay, "End it; what it has done stays done"],
      ["resume", resumeReplay, "Go on where it stopped; a running serve carries it out"],
    ] as const
  ).map(([verb, change, summary]) =>
    operation({
      id: `${verb}Replay`,
      method: "post",
      path: `/replays/{id}/${verb}`,
      tag: TAG,
      summary,
      pathParameters: schemas.idInPath,
      body: schemas.reasonRequest,
      result: schemas.replay,
      run: async ({ db, actor }, { path: { id }, body: { reason } }) =>
        (await findReplay({ db, id })) === null ? null : await change({ db, actor, id, reason }),
    }),
  ),
];
